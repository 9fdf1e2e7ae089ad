"""The page: a few views, rendered here, readable without a script and usable without a mouse.

A view is a function that takes a :class:`PageRequest`, calls the library and returns markup.
What changes something is a form with the word that goes with the browser's session, and ends in
a view again.
"""

from recollect.surfaces.page.site import Pages

__all__ = ["Pages"]
