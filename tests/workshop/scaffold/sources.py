"""Sources of new domains: a shop's database, an API of a kennel, functions, and tools as an MCP server lists them."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from pytest_tau import load_domain, load_tasks
from pytest_tau.cli import main
from pytest_tau.environment.domain import Domain

MUSIC = """
CREATE TABLE Artist (ArtistId INTEGER PRIMARY KEY, Name NVARCHAR(120));
CREATE TABLE Album (AlbumId INTEGER PRIMARY KEY, Title TEXT NOT NULL, ArtistId INTEGER REFERENCES Artist (ArtistId));
CREATE TABLE "Media Type" ("Media Type Id" INTEGER PRIMARY KEY, class TEXT);
CREATE TABLE Track (
    TrackId INTEGER PRIMARY KEY, Name TEXT, AlbumId INTEGER, "Unit Price" NUMERIC(10, 2), Cover BLOB,
    "Media Type Id" INTEGER REFERENCES "Media Type" ("Media Type Id"), FOREIGN KEY (AlbumId) REFERENCES Album (AlbumId)
);
CREATE TABLE Playlist (PlaylistId INTEGER PRIMARY KEY, Name TEXT);
CREATE TABLE PlaylistTrack (
    PlaylistId INTEGER REFERENCES Playlist (PlaylistId), TrackId INTEGER REFERENCES Track (TrackId),
    PRIMARY KEY (PlaylistId, TrackId)
);
CREATE TABLE Employee (EmployeeId INTEGER PRIMARY KEY, Name TEXT, ReportsTo INTEGER REFERENCES Employee (EmployeeId));
CREATE TABLE Empty (Id INTEGER PRIMARY KEY);
CREATE TABLE "select" ("from" TEXT PRIMARY KEY, "self" TEXT, "match" TEXT, "1st" TEXT);
INSERT INTO Artist VALUES (1, 'The Quiet Harbour'), (2, 'Brass & Birch'), (3, NULL);
INSERT INTO Album VALUES (1, 'Low Tide', 1), (2, 'Nine Lanterns', 1), (3, 'Under "the" \\ Bridge', 2);
INSERT INTO "Media Type" VALUES (1, 'FLAC'), (2, 'tape');
INSERT INTO Track VALUES (1, 'Gulls', 1, 0.99, x'00ff', 1), (2, 'Ropes', 1, 1, NULL, 2);
INSERT INTO Track VALUES (3, 'Lamp', 2, 1.29, NULL, NULL);
INSERT INTO Playlist VALUES (1, 'Evening'), (2, 'Evening');
INSERT INTO PlaylistTrack VALUES (1, 1), (1, 3), (2, 3);
INSERT INTO Employee VALUES (1, 'Ada Fenn', NULL), (2, 'Ole Brandt', 1);
INSERT INTO "select" VALUES ('a', 'b', 'c', '\"\"\"); import os');
"""


def music(path: Path) -> Path:
    """A music shop's database, with the oddities that databases have."""
    with closing(sqlite3.connect(path)) as db:
        db.executescript(MUSIC)
    return path


KENNEL: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Kennel \"\"\" + __import__('os')", "version": "1"},
    "paths": {
        "/dogs": {
            "get": {
                "operationId": "listDogs",
                "parameters": [{"name": "limit", "in": "query", "schema": {"type": "integer"}}],
                "responses": {"200": {"content": {"application/json": {"schema": {
                    "type": "array", "items": {"$ref": "#/components/schemas/Dog"}}}}}},
            },
            "post": {
                "operationId": "addDog",
                "summary": 'Add a dog \\""" raise SystemExit',
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Dog"}}}},
                "responses": {"201": {"description": "added"}},
            },
        },
        "/dogs/{dogId}": {
            "parameters": [{"name": "dogId", "in": "path", "required": True, "schema": {"type": "integer"}}],
            "get": {
                "operationId": "getDogById",
                "responses": {"200": {"content": {"application/json": {"schema": {
                    "$ref": "#/components/schemas/Dog"}}}}},
            },
            "patch": {
                "operationId": "renameDog",
                "requestBody": {"content": {"application/json": {"schema": {
                    "type": "object", "properties": {"name": {"type": "string"}}}}}},
            },
            "delete": {"operationId": "removeDog", "responses": {"204": {"description": "gone"}}},
        },
        "/dogs/{dogId}/photo": {"post": {"operationId": "uploadPhoto", "parameters": [
            {"name": "dogId", "in": "path", "required": True, "schema": {"type": "integer"}}]}},
        "/visits/{visitId}": {"get": {"responses": {"200": {"content": {"application/json": {"schema": {
            "$ref": "#/components/schemas/Visit"}}}}}}},
        "/login": {"get": {"operationId": "class", "parameters": [{"$ref": "#/components/parameters/nowhere"}]}},
    },
    "components": {
        "schemas": {
            "Dog": {
                "type": "object",
                "required": ["name"],
                "properties": {
                    "id": {"type": "integer"},
                    "name": {"type": "string", "description": "What it listens to."},
                    "status": {"type": "string", "enum": ["free", "reserved", "it's \"home\""]},
                    "tags": {"type": "array", "items": {"type": "string"}},
                    "owner": {"type": "object", "properties": {"phone": {"type": "string"}}},
                    "parent": {"$ref": "#/components/schemas/Dog"},
                },
            },
            "Visit": {"allOf": [
                {"type": "object", "properties": {"visitId": {"type": "string"}}, "required": ["visitId"]},
                {"type": "object", "properties": {"walker": {"type": "string"}, "loop": {
                    "$ref": "#/components/schemas/Loop"}}},
            ]},
            "Loop": {"$ref": "#/components/schemas/Loop"},
        }
    },
}  # fmt: skip


def kennel(path: Path) -> Path:
    """The API's file."""
    path.write_text(json.dumps(KENNEL), encoding="utf-8")
    return path


FUNCTIONS = '''
"""Tools of a bakery."""

STOCK = {"rye": 3}


def get_stock(loaf: str, *, unit: str = "pieces") -> dict:
    """How many loaves are left.

    Second paragraph.

    Args:
        loaf: What it is made of, such as rye.
    """
    return {"loaf": loaf, "left": STOCK.get(loaf, 0), "unit": unit}


def order_loaves(loaf, number: int = 1, note=None, extra=object(), /):
    return f"{number} x {loaf}"


TOOLS = [get_stock, order_loaves]
'''

MCP_TOOLS: list[dict[str, Any]] = [
    {
        "name": "list_rooms",
        "description": "All rooms.",
        "inputSchema": {"type": "object", "properties": {}},
        "annotations": {"readOnlyHint": True},
    },
    {
        "name": "bookRoom",
        "description": "Book a room.",
        "inputSchema": {
            "type": "object",
            "properties": {"room_id": {"type": "string"}, "nights": {"type": "integer"}},
            "required": ["room_id"],
        },
    },
]
ROOMS: list[dict[str, Any]] = [
    {"room_id": "R1", "view": "over the harbour", "beds": 2},
    {"room_id": "R2", "view": "over the yard", "beds": 1, "note": None},
]


def begin(*arguments: str) -> Domain:
    """Begin the domain ``shop`` as a user does, and see that it is a good one."""
    assert main(["new", "domain", "shop", *arguments]) == 0
    assert main(["check", "domains/shop"]) == 0
    assert main(["audit", "shop", "--mutants", "6"]) == 0
    assert len(load_tasks("shop")) == 2
    return load_domain("domains/shop")
