"""The routes of the page, and what happens around a view: the frame, errors, forms, the key."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from importlib.resources import files
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from recollect.markup import el, joined
from recollect.nouns import stable_id
from recollect.surfaces.http.guard import STATIC, AccessControl, Receive, Refusal, Scope, Send
from recollect.surfaces.http.work import ClientGone, RequestRefused, RequestRunner, told
from recollect.surfaces.page import (
    conversations,
    doctor,
    figures,
    importing,
    layout,
    links,
    remembered,
    reviewing,
    topics,
)
from recollect.surfaces.page.layout import (
    PageContent,
    PageRequest,
    Redirect,
    command,
    document,
    empty,
    heading,
)
from recollect.surfaces.page.search import search
from recollect.surfaces.phrases import when

if TYPE_CHECKING:
    from recollect.memory import Memory
    from recollect.surfaces.tools import Tool, Work

VIEWS: Mapping[str, Callable[[PageRequest], PageContent]] = {
    "/": search,
    "/memory": remembered.facts,
    "/fact": remembered.fact,
    "/documents": remembered.documents,
    "/document": remembered.document,
    "/tree": topics.tree,
    "/topic": topics.topic,
    "/topic/edit": topics.edit,
    "/review": reviewing.review,
    "/receipts": reviewing.receipts,
    "/sessions": conversations.sessions,
    "/imports": importing.imports,
    "/stats": figures.stats,
    "/settings": figures.settings,
    "/doctor": doctor.doctor,
}
CHANGES: Mapping[str, Callable[[PageRequest], PageContent | Redirect]] = {
    "/fact/pin": remembered.pin,
    "/fact/reword": remembered.reword,
    "/fact/forget": remembered.forget_fact,
    "/document/forget": remembered.forget_document,
    "/topic/forget": remembered.forget_page,
    "/topic/save": topics.save,
    "/review/decide": reviewing.decide,
    "/receipts/undo": reviewing.undo,
    "/imports/begin": importing.begin,
    "/imports/stop": importing.stop,
    "/settings/change": figures.change,
}
_KINDS = {"page.css": "text/css", "page.js": "text/javascript", "icon.svg": "image/svg+xml"}
"""The files that are served, and no others: no request names a file of the disk."""

Endpoint = Callable[[Request], Awaitable[Response]]


class Pages:
    def __init__(
        self, memory: Memory, tools: Mapping[str, Tool], runner: RequestRunner, gate: AccessControl
    ) -> None:
        self._memory, self._tools, self._runner, self._gate = memory, tools, runner, gate
        folder = files("recollect.surfaces.page") / "static"
        self._files = {name: (folder / name).read_bytes() for name in _KINDS}
        self._version = stable_id(*(text.decode() for text in self._files.values()))

    def routes(self) -> list[Route]:
        return [
            *(Route(path, self._viewed(view)) for path, view in VIEWS.items()),
            *(
                Route(path, self._changed(change), methods=["POST"])
                for path, change in CHANGES.items()
            ),
            *(Route(f"{STATIC}{name}", self._file(name)) for name in _KINDS),
            Route("/image", self._telling(self._picture)),
            Route("/enter", self._enter),
            Route("/login", self._login, methods=["GET", "POST"]),
            Route("/logout", self._logout, methods=["POST"]),
        ]

    # -------------------------------------------------------------- views

    def _viewed(self, view: Callable[[PageRequest], PageContent]) -> Endpoint:
        async def show(request: Request) -> Response:
            params, csrf = dict(request.query_params), self._csrf(request)

            def work(watch: Work) -> tuple[str, int]:
                found = view(self._page_request(watch, params, csrf))
                return document(found, self._version, csrf=csrf), found.status

            return _html(*await self._runner.do(request, work))

        return self._telling(show)

    def _changed(self, change: Callable[[PageRequest], PageContent | Redirect]) -> Endpoint:
        async def act(request: Request) -> Response:
            given, csrf = await self._form(request), self._csrf(request)
            to = await self._runner.do(
                request,
                lambda work: change(self._page_request(work, given, csrf)),
            )
            if isinstance(to, Redirect):
                return RedirectResponse(to.address, 303)
            return _html(document(to, self._version, csrf=csrf), to.status)

        return self._telling(act)

    def _page_request(self, work: Work, params: Mapping[str, str], csrf: str) -> PageRequest:
        return PageRequest(self._memory, self._tools, work, params, csrf, self._gate.local)

    def _csrf(self, request: Request) -> str:
        session = request.scope["session"]
        return self._gate.csrf(session) if session else ""

    async def _form(self, request: Request) -> dict[str, str]:
        """The fields of a form that one of our own pages has sent."""
        given = await self._fields(request)
        session = request.scope["session"]
        if session and not self._gate.is_csrf(session, given.pop("csrf", "")):
            said = "this form is not of this page, or of an earlier session"
            raise RequestRefused(
                Refusal(403, "Forbidden", said, "go back, reload the page, try again")
            )
        return given

    async def _fields(self, request: Request) -> dict[str, str]:
        body = await self._runner.body(request)
        kind = request.headers.get("content-type", "").partition(";")[0].strip()
        if kind != "application/x-www-form-urlencoded":
            raise RequestRefused(Refusal(415, "Unsupported", "this takes a form"))
        try:
            return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=50))
        except ValueError:
            raise RequestRefused(Refusal(400, "UsageError", "the form cannot be read")) from None

    def _telling(self, show: Endpoint) -> Endpoint:
        """Returns the view with every error as a page that says what to do."""

        async def endpoint(request: Request) -> Response:
            try:
                return await show(request)
            except ClientGone:
                return Response(status_code=499)  # nobody reads it
            except Exception as error:  # noqa: BLE001  a bug of ours is told by its kind only
                status, content = told("the page", error)
                return self._failed(request, status, **content["error"])

        return endpoint

    def _failed(
        self, request: Request, status: int, type: str, message: str, hint: str
    ) -> Response:
        said = message[:1].upper() + message[1:]
        back = el("a", "Back to the search", href="/")
        look = el("a", "See what is wrong with the store", href="/doctor")
        at = request.url.path if request.url.path in VIEWS else ""
        body = el(
            "div",
            heading("That did not work"),
            el("p", layout.message(said), class_="lead"),
            when(hint, el("p", layout.message(hint))),
            el("p", look if type.startswith("Store") and at != "/doctor" else back),
            class_="failed",
            role="alert",
            data_kind=type,
        )
        page = document(
            PageContent("That did not work", body, status, at),
            self._version,
            csrf=self._csrf(request),
        )
        return _html(page, status)

    def nothing_there(self, request: Request, status: int, headers: dict[str, str]) -> Response:
        said = "There is no such page." if status == 404 else "This page takes no such request."
        body = joined(heading("Nothing here"), empty(said, el("a", "Go to the search", href="/")))
        page = document(
            PageContent("Nothing here", body, status), self._version, csrf=self._csrf(request)
        )
        return _html(page, status, headers)

    def _file(self, name: str) -> Endpoint:
        async def give(_: Request) -> Response:
            kept = {"cache-control": "private, max-age=86400"}  # its address has its version
            return Response(self._files[name], 200, kept, _KINDS[name])

        return give

    async def _picture(self, request: Request) -> Response:
        """A picture of somebody's notes; what it is was read in it, and nothing else is done
        with it."""
        params = dict(request.query_params)
        found = await self._runner.do(
            request, lambda work: links.picture(self._page_request(work, params, ""))
        )
        if found is None:
            return Response(status_code=404)
        return Response(found[0], 200, {"cache-control": "private, max-age=300"}, found[1])

    # -------------------------------------------------------------- the key

    async def locked(self, scope: Scope, receive: Receive, send: Send) -> None:
        """For a browser that has no key yet."""
        await self._lock("", 401)(scope, receive, send)

    def _lock(self, wrong: str, status: int) -> Response:
        body = el(
            "div",
            heading("This memory is locked"),
            el(
                "p",
                "Open the link that ",
                command("recollect serve"),
                " printed: it works once, "
                "for one browser. Or give the token from the file that it names.",
                class_="lead",
            ),
            when(wrong, el("p", wrong, class_="wrong", role="alert")),
            el(
                "form",
                el("label", "Token", for_="token"),
                el(
                    "input",
                    id="token",
                    name="token",
                    type="password",
                    required=True,
                    autocomplete="off",
                    autofocus=True,
                ),
                el("button", "Open", class_="main"),
                method="post",
                action="/login",
                class_="stack",
            ),
            class_="locked",
        )
        page = document(PageContent("Locked", body), self._version, locked=True)
        return _html(page, status, {"www-authenticate": "Bearer"} if status == 401 else {})

    async def _enter(self, request: Request) -> Response:
        if request.method != "GET":  # whoever only looks shall not use the link up
            return Response(status_code=204)
        return self._entered(self._gate.enter(request.query_params.get("key", "")), "link")

    async def _login(self, request: Request) -> Response:
        if request.method != "POST":
            return self._lock("", 200)
        try:
            given = await self._fields(request)
        except ClientGone:
            return Response(status_code=499)
        except RequestRefused as error:
            return self._lock(error.refusal.message, error.refusal.status)
        return self._entered(self._gate.login(given.get("token", "")), "token")

    def _entered(self, session: str | None, with_what: str) -> Response:
        if session is None:
            used = "This link was used already, or is of an earlier start."
            return self._lock(used if with_what == "link" else "That is not the token.", 403)
        return RedirectResponse("/", 303, {"set-cookie": self._gate.set_cookie(session)})

    async def _logout(self, request: Request) -> Response:
        try:
            await self._form(request)
        except ClientGone:
            return Response(status_code=499)
        except RequestRefused as error:
            return self._failed(request, error.refusal.status, **error.refusal.as_json()["error"])
        if request.scope["session"]:
            self._gate.leave(request.scope["session"])
        return RedirectResponse("/", 303)


def _html(page: str, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(
        page.encode("utf-8", "replace"), status, dict(headers or {}), "text/html; charset=utf-8"
    )
