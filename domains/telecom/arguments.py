"""The one tool argument that is an object, and how its schema shows it."""

from typing import Annotated

from pydantic import Field, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from .phone import APNSettings


class _OrObject:
    """Shows a model as "the model or any object" in a tool's schema, as the benchmark's models know it."""

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"anyOf": [handler(schema), {"additionalProperties": True, "type": "object"}]}


ApnSettings = Annotated[APNSettings, _OrObject(), Field(title="Apn Settings")]
