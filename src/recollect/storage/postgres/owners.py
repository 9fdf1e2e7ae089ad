"""Owners and their numbers: who may be seen here, and who is being written for."""

from __future__ import annotations

from collections.abc import Collection

from recollect.nouns import Filter
from recollect.storage.postgres.connection import Db, scalar
from recollect.storage.postgres.rows import given, stored
from recollect.storage.postgres.schema import HOME

CHANNEL = "recollect"
NOBODY = -1


class Owners:
    """Numbers are given once and never change, so that they are remembered for good."""

    def __init__(self, schema: str, bound: str, *, walled: bool = False) -> None:
        self.schema = schema
        self.walled = walled
        """Whether the server hides the others as well."""
        self.bound = bound
        """The only owner that this store is opened for; empty is everyone."""
        mine = " WHERE name = current_setting('recollect.owner')" if bound else ""
        self.seen = f"ARRAY(SELECT owner FROM owners{mine})"
        """Everyone whose things may be seen here, as an array in SQL."""
        self._numbers: dict[str, int] = {}

    def among(self, filter: Filter, column: str, values: dict[str, object]) -> str:
        """The condition on the column of owners that the filter comes to."""
        names = {filter.owner, filter.within.owner if filter.within else None} - {None}
        if not names:
            return f"{column} = ANY({self.seen})"
        if len({*names, self.bound} - {""}) > 1:  # nothing is of two owners
            return "FALSE"
        values["owner_name"] = stored(str(min(map(str, names))))
        return f"{column} = (SELECT owner FROM owners WHERE name = %(owner_name)s)"

    def numbers(self, db: Db, names: Collection[str]) -> dict[str, int]:
        """The numbers of these owners, who are made known if they are new."""
        missing = [name for name in names if name not in self._numbers]
        found = self._find(db, missing)
        for name in sorted(set(missing).difference(found)):
            db.execute(
                "INSERT INTO owners SELECT nextval('owner_numbers'), %s "
                "WHERE NOT EXISTS (SELECT 1 FROM owners WHERE name = %s) ON CONFLICT DO NOTHING",
                (stored(name), stored(name)),
            )
            found |= self._find(db, [name])
            db.execute(
                "INSERT INTO state (owner) VALUES (%s) ON CONFLICT DO NOTHING", (found[name],)
            )
        known = {name: self._numbers[name] for name in names if name in self._numbers}
        return known | found

    def _find(self, db: Db, names: Collection[str]) -> dict[str, int]:
        if not names:
            return {}
        rows = db.execute(
            "SELECT name, owner FROM owners WHERE name = ANY(%s)",
            (list(map(stored, names)),),
        )
        return {given(name): owner for name, owner in rows}

    def remember(self, numbers: dict[str, int]) -> None:
        """These have been committed."""
        self._numbers |= numbers

    def home(self, db: Db) -> int:
        """The number under which is kept what is no owner's in particular."""
        if self.bound:
            return self.numbers(db, [self.bound])[self.bound]
        if not self.walled:
            return HOME
        first = scalar(db, "SELECT MIN(owner) FROM owners")
        return HOME if first is None else int(first)

    def known_home(self, db: Db) -> int:
        """The same for whoever only reads: an owner who has nothing yet is not made known by it,
        and has the number of nobody."""
        if self.bound and self.bound not in self._numbers:
            return self._find(db, [self.bound]).get(self.bound, NOBODY)
        return self.home(db)

    def lock(self, db: Db, owners: Collection[int]) -> None:
        """Make others who would write for these owners wait, in one order for everybody."""
        if owners:
            db.execute(
                "SELECT 1 FROM state WHERE owner = ANY(%s) ORDER BY owner FOR UPDATE",
                (sorted(owners),),
            )

    def tell(self, db: Db, owner: int) -> None:
        """Let every process know that something of this owner has changed, once it has."""
        db.execute("SELECT pg_notify(%s, %s)", (CHANNEL, f"{self.schema} {owner}"))
