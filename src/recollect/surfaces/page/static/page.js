// Keys. Everything works without them, and without this file.
"use strict";

const typing = (node) => node.matches("input, textarea, select, [contenteditable]");
const items = () =>
  [...document.querySelectorAll("[data-item]")].filter((one) => one.getClientRects().length);

function move(step) {
  const all = items();
  if (!all.length) return;
  const at = all.indexOf(document.activeElement);
  const next = at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step;
  const to = all[Math.max(0, Math.min(all.length - 1, next))];
  to.focus();
  (to.closest(".card, tr, li") || to).scrollIntoView({ block: "nearest" });
}

function explain() {
  const card = document.activeElement.closest(".result") || document.querySelector(".result");
  const why = card && card.querySelector("details.why");
  if (why) why.open = !why.open;
}

function close() {
  const here = document.activeElement;
  const open = here.closest("details[open]");
  if (open && !open.matches(".filters")) {
    open.open = false;
    open.querySelector("summary").focus();
  } else {
    here.blur();
  }
}

function focusSearch() {
  const field = document.querySelector("[data-search]");
  if (!field) return location.assign("/");
  field.focus();
  field.select();
}

const keys = {
  "/": focusSearch,
  j: () => move(1),
  k: () => move(-1),
  e: explain,
  "?": () => document.getElementById("keys")?.showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") return close();
  if (typing(event.target)) return;
  const views = document.querySelectorAll("header nav a");
  const act = keys[event.key] || (views[event.key - 1] && (() => views[event.key - 1].click()));
  if (!act) return;
  event.preventDefault();
  act();
});

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  if (opener) document.getElementById(opener.dataset.opens).showModal();
});

// A long message opens where it stands.
document.addEventListener("click", async (event) => {
  const link = event.target.closest("a.whole");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  try {
    const said = await fetch(link.href);
    const page = new DOMParser().parseFromString(await said.text(), "text/html");
    link.closest(".message").querySelector(".body").replaceWith(page.querySelector("#message .body"));
    link.remove();
  } catch {
    location.assign(link.href);
  }
});

// A first search loads the models: say that something happens, and send nothing twice.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method === "dialog") return;
  for (const field of form.method === "get" ? form.elements : []) {
    if (field.name && !field.value) field.disabled = true; // an address of what was asked only
  }
  form.setAttribute("aria-busy", "true");
  form.querySelector("button:not([type=button])")?.setAttribute("disabled", "");
});
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form")) {
    form.removeAttribute("aria-busy");
    for (const field of form.elements) field.disabled = false;
  }
});

// Answers while one types: by words at the first pause, by all that is known at the next. The
// address follows, and Back leads to what was asked before, without a page being loaded.
const asking = document.querySelector("[data-typed]")?.form;
let waiting, going, asked = location.href;

function addressed(form) {
  const given = [...new FormData(form)].filter(([, value]) => value);
  const said = new URLSearchParams(given).toString();
  return form.getAttribute("action") + (said ? "?" + said : "");
}

async function answer(address, typed) {
  going?.abort();
  going = new AbortController();
  const here = document.getElementById("answer");
  here.setAttribute("aria-busy", "true");
  try {
    const asks = typed ? address + (address.includes("?") ? "&" : "?") + "typed=" + typed : address;
    const said = await fetch(asks, { signal: going.signal });
    const page = new DOMParser().parseFromString(await said.text(), "text/html");
    const fresh = page.getElementById("answer");
    if (!fresh) return location.assign(address);
    here.replaceChildren(...fresh.childNodes);
    here.removeAttribute("aria-busy");
    document.title = page.title;
  } catch (error) {
    if (error.name === "AbortError") return; // something else is asked already
    here.removeAttribute("aria-busy");
  }
}

function go(address) {
  if (new URL(address, location).href === location.href) return;
  // One step back for each question that was asked, none for each letter of it.
  history[asked === location.href ? "pushState" : "replaceState"]({}, "", address);
}

if (asking) {
  asking.addEventListener("input", (event) => {
    clearTimeout(waiting);
    const address = addressed(asking);
    const whole = event.target.value.trim().length > 2 || event.target.name !== "q";
    if (event.isComposing || !(whole && asking.elements.q.value.trim())) return;
    waiting = setTimeout(async () => {
      go(address);
      await answer(address, "words");
      if (addressed(asking) === address) waiting = setTimeout(() => answer(address, "all"), 350);
    }, 150);
  });
  asking.addEventListener("submit", (event) => {
    event.preventDefault();
    event.stopPropagation();
    clearTimeout(waiting);
    const address = addressed(asking);
    go(address);
    asked = location.href;
    asking.elements.q.blur(); // the keys go through the results now
    answer(address);
  });
  addEventListener("popstate", () => {
    clearTimeout(waiting);
    const given = new URLSearchParams(location.search);
    for (const field of asking.elements) if (field.name) field.value = given.get(field.name) || "";
    asked = location.href;
    answer(location.href);
  });
}

// What changes by itself: asked for again as long as it says so. What is the same stays as it is,
// and with it the focus and what was opened.
function become(old, fresh) {
  if (old.nodeName !== fresh.nodeName) return old.replaceWith(fresh);
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  // Not old.id: that of a form is its field of this name.
  if (old.getAttribute("id") !== fresh.getAttribute("id")) return old.replaceWith(fresh);
  for (const { name } of [...old.attributes])
    if (name !== "open" && !fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of [...fresh.attributes])
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  const olds = [...old.childNodes];
  const news = [...fresh.childNodes];
  olds.forEach((child, n) => (news[n] ? become(child, news[n]) : child.remove()));
  old.append(...news.slice(olds.length));
}

async function look() {
  const live = document.querySelector("[data-live]");
  if (!live) return;
  try {
    const said = document.hidden ? null : await fetch(location.href);
    if (said?.ok) {
      const page = new DOMParser().parseFromString(await said.text(), "text/html");
      const fresh = page.getElementById(live.id);
      if (fresh) become(live, fresh);
    }
  } catch {} // the server is away: it may come back
  setTimeout(look, Number(live.dataset.live) || 1000);
}
setTimeout(look, 500);
