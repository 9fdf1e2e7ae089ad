"""Modules that load when they are first used.

Start-up is a feature: everything imported at once costs four times what a command needs. So that
imports can still stand at the top of a module, the modules of this package are lazy: ``import``
and ``from package import module`` bind a module that is executed when one of its attributes is
first read. ``from module import name`` reads an attribute, and therefore loads. The rule is: what
every run of a module needs is imported by name, what only some runs need is imported as a module::

    from recollect.nouns import Answer        # loads
    from recollect.reading import expand      # loads when expand.something is first reached

Only modules of this package are lazy, and of those that ask for it (``recollect_evals``), never
those of others.
"""

from __future__ import annotations

import os
import sys
from _thread import RLock
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader

TYPE_CHECKING = False  # typing itself takes longer to load than all of this
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.abc import Loader
    from types import ModuleType
    from typing import Any
else:
    ModuleType = type(sys)

_LOADING = RLock()
"""Held while a module is executed. There is one for all, and no lock of the import system is held
when it is taken: two threads that load modules which need each other cannot wait in a circle."""
_UNDER_WAY: list[ModuleType] = []
_WITHOUT_LOADING = frozenset(
    {"__class__", "__file__", "__loader__", "__name__", "__package__", "__path__", "__spec__"}
)
"""Attributes that the import system itself reads of a module, and that its spec has given it."""


class _Unloaded(ModuleType):
    """A module before it is executed."""

    def __getattribute__(self, name: str) -> Any:
        if name not in _WITHOUT_LOADING:
            if _is_module_of(self, name):
                return import_module(f"{self.__name__}.{name}")
            _load(self)
        return ModuleType.__getattribute__(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        # A submodule is bound by the import system, which holds a lock meanwhile; anything else
        # would be overwritten by what the module itself assigns.
        if not isinstance(value, ModuleType) and not name.startswith("__"):
            _load(self)
        ModuleType.__setattr__(self, name, value)


def _is_module_of(package: ModuleType, name: str) -> bool:
    """Whether a package has a module of this name. To bind that, the package need not be
    executed: ``from recollect.memory import costs`` does not load the facade."""
    path = ModuleType.__getattribute__(package, "__dict__").get("__path__")
    return bool(path) and bool({name, f"{name}.py"} & _files(path[0]))


_FILES: dict[str, frozenset[str]] = {}


def _files(folder: str) -> frozenset[str]:
    """What is in a folder of modules. Each is looked for several times, and the import system
    would ask for the date of the folder and for four kinds of file every time."""
    if folder not in _FILES:
        try:
            _FILES[folder] = frozenset(os.listdir(folder))
        except OSError:  # of an archive
            _FILES[folder] = frozenset()
    return _FILES[folder]


def _spec(name: str, folder: str) -> ModuleSpec | None:
    """The module or package of this name, if the folder has its source."""
    last = name.rpartition(".")[2]
    place = f"{folder}{os.sep}{last}"
    if f"{last}.py" in _files(folder):
        file, inside = f"{place}.py", None
    elif last in _files(folder) and "__init__.py" in _files(place):
        file, inside = f"{place}{os.sep}__init__.py", place
    else:
        return None
    spec = ModuleSpec(name, SourceFileLoader(name, file), origin=file, is_package=bool(inside))
    spec.has_location = True
    spec.cached = _cached(file)
    if inside:
        spec.submodule_search_locations = [inside]
    return spec


def _cached(file: str) -> str | None:
    """Where the module is kept compiled. The import system would work it out for each module that
    is bound, and most of these are never loaded; None leaves it to that."""
    if sys.pycache_prefix is not None or sys.flags.optimize:
        return None
    folder, _, name = file.rpartition(os.sep)
    return f"{folder}/__pycache__/{name[:-2]}{sys.implementation.cache_tag}.pyc"


class _LazyLoader:
    """Puts the execution of a module off to the first use of it."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader

    def __getattr__(self, name: str) -> Any:
        """All else that is asked of a loader: its source, its resources."""
        return getattr(self.loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__class__ = _Unloaded


class _Finder:
    """Finds the modules of a package, and makes them lazy."""

    def __init__(self, package: str) -> None:
        self.prefix = f"{package}."

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not name.startswith(self.prefix) or not path:
            return None
        spec = _spec(name, path[0]) or PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _LazyLoader(spec.loader)  # type: ignore[assignment]
        return spec


def _load(module: ModuleType) -> None:
    """Executes the module. Other threads wait until it is whole; the one that executes it sees it
    as far as it has come, as with any circle of imports."""
    with _LOADING:
        if object.__getattribute__(module, "__class__") is not _Unloaded or module in _UNDER_WAY:
            return
        spec = module.__spec__
        assert spec is not None
        lazy = spec.loader
        assert isinstance(lazy, _LazyLoader)
        _UNDER_WAY.append(module)
        spec.loader = module.__loader__ = lazy.loader
        try:
            lazy.loader.exec_module(module)
            object.__setattr__(module, "__class__", ModuleType)
        except BaseException:
            spec.loader = module.__loader__ = lazy
            raise
        finally:
            _UNDER_WAY.remove(module)


def install(package: str = "recollect") -> None:
    """Makes the modules of the package lazy from now on; called before any of them is imported."""
    sys.meta_path.insert(0, _Finder(package))
