"""From a webhook's bytes to stored alerts and incidents: read, grouped, committed together."""
