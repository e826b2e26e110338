"""The base of every noun: immutable, strict about unknown fields."""

from pydantic import BaseModel, ConfigDict

__all__ = ["Model"]


class Model(BaseModel):
    """A frozen value of the domain; equal when all its fields are equal."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        ser_json_inf_nan="null",
        arbitrary_types_allowed=True,  # outputs hold numpy columns
    )
