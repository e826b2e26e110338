"""What things are called in one run: a seed renames them, so that nothing is tuned to a name."""

import random
from dataclasses import dataclass

__all__ = ["USUAL", "Names", "names_of"]


@dataclass(frozen=True, kw_only=True)
class Names:
    """Names of services and of what their metrics and logs carry."""

    web: str = "storefront"
    """What customers call."""
    orders: str = "order-service"
    """Called by `web`; owns the data behind a connection pool."""
    payments: str = "payment-service"
    """Called by `orders`."""
    database: str = "mysql"
    node: str = "node"
    """Not renamed: Prometheus's usual job of node_exporter, by which a host is known."""
    schema: str = "orders"
    """Name of the database, of the account that uses it, and of the pool."""
    batch_user: str = "reporting"
    """Account of a job beside the services."""
    domain: str = "example.com"

    @property
    def services(self) -> tuple[str, str, str]:
        """The services that are programs of the lab, callers first."""
        return self.web, self.orders, self.payments

    @property
    def monitored(self) -> tuple[str, ...]:
        """Everything that is scraped, by its job."""
        return *self.services, self.database, self.node

    @property
    def pool_alert(self) -> str:
        """Name of the alert about the connection pool of `orders`."""
        words = self.orders.replace("_", "-").split("-")
        return "".join(word.capitalize() for word in words) + "ConnectionPoolExhausted"

    def instance(self, name: str) -> str:
        """Return the `instance` label of something monitored."""
        return f"{name.removesuffix('-service')}-1"

    def topology(self) -> str:
        """Return `topology.yaml`."""
        calls: dict[str, tuple[str, list[str], str]] = {
            self.web: ("service", [self.orders], "team-web"),
            self.orders: ("service", [self.payments, self.database], f"team-{self.schema}"),
            self.payments: ("service", [], "team-payments"),
            self.database: ("database", [], "team-data"),
        }
        lines = ["services:"]
        for name, (kind, callees, owner) in calls.items():
            lines += [
                f"  {name}:",
                f"    kind: {kind}",
                f"    calls: [{', '.join(callees)}]",
                f"    owner: {owner}",
                f"    runbook: https://runbooks.{self.domain}/{name}",
            ]
        return "\n".join([*lines, "aliases:", f"  {self.database}-slow: {self.database}", ""])


USUAL = Names()
"""The names of runs without a seed."""

_ORDERS = (
    ("order-service", "orders"), ("booking-api", "bookings"), ("cart-svc", "carts"),
    ("ticketing", "tickets"), ("inventory-core", "inventory"), ("reservation-service", "rooms"),
    ("fulfilment", "parcels"), ("subscriptions-backend", "plans"),
)  # fmt: skip
_WEBS = ("storefront", "web-gateway", "shop-ui", "edge-api", "portal", "mobile-bff")
_PAYMENTS = ("payment-service", "billing", "charge-svc", "wallet-api", "ledger", "invoicing")
_DATABASES = ("mysql", "mariadb-main", "orders-db", "db-primary", "sql-01", "mysql-core")
_BATCHES = ("reporting", "etl", "warehouse", "nightly", "bi_reader")
_DOMAINS = ("example.com", "shop.example.net", "corp.example.org", "example.net")


def names_of(seed: int | None) -> Names:
    """Return the names of a run: the usual ones, or those that a seed draws."""
    if seed is None:
        return USUAL
    draw = random.Random(f"names {seed}")
    orders, schema = draw.choice(_ORDERS)
    return Names(
        web=draw.choice(_WEBS),
        orders=orders,
        payments=draw.choice(_PAYMENTS),
        database=draw.choice(_DATABASES),
        schema=schema,
        batch_user=draw.choice(_BATCHES),
        domain=draw.choice(_DOMAINS),
    )
