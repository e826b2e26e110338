"""Random queries on random samples, answered by a real Prometheus and by the offline evaluator."""
