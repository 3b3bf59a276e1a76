"use strict";

const EVERY = 5000;
const shown = (id) => document.getElementById(id);

// The page's half of what this browser is known by. The cookie has the other half and goes to every port of this host;
// what is kept here belongs to our own origin alone.
const KEPT = "sekisho.page";
const pageKey = () => localStorage.getItem(KEPT);

// Forgets a key, unless another tab has signed in anew in the meantime.
function forget(key) {
  if (pageKey() === key) {
    localStorage.removeItem(KEPT);
  }
}

async function ask(method, path, body) {
  const init = { method, headers: {}, credentials: "same-origin", cache: "no-store", redirect: "error" };
  const key = pageKey();
  if (key !== null) {
    init.headers["X-Sekisho-Page"] = key;
  }
  if (body !== undefined) {
    init.headers["Content-Type"] = "application/json";
    init.body = JSON.stringify(body);
  }
  const response = await fetch(path, init);
  // A link that is not taken says nothing about who was signed in before.
  if (response.status === 401 && !(method === "POST" && path === "/api/session")) {
    forget(key);
  }
  const told = response.status === 204 ? null : await response.json();
  if (!response.ok) {
    throw Object.assign(new Error(told.error.message), { status: response.status });
  }
  return told;
}

function say(text) {
  shown("state").textContent = text;
}

// The secret stands behind `#`, where no server sees it. It leaves the address bar before anything else happens.
function takeLink() {
  const found = /^#link=(skl_[0-9a-f]{64})$/.exec(location.hash);
  if (location.hash !== "") {
    history.replaceState(null, "", location.pathname);
  }
  return found && found[1];
}

let next;

async function count() {
  clearTimeout(next);
  try {
    const page = await ask("GET", "/api/approvals?state=pending&limit=500");
    shown("open").textContent = page.next ? `${page.approvals.length} or more` : String(page.approvals.length);
  } catch (error) {
    if (error.status === 401) {
      out("You are signed out.");
      return;
    }
    shown("open").textContent = "cannot be told now";
  }
  next = setTimeout(count, EVERY);
}

function inside(session) {
  say(session.asks ? "The checkpoint is open." : "Nobody is asked: what would be a question is let through.");
  shown("name").textContent = session.name;
  shown("role").textContent = session.role;
  const warnings = session.warnings || [];
  shown("warnings").replaceChildren(...warnings.map((text) => {
    const item = document.createElement("li");
    item.textContent = text;
    return item;
  }));
  shown("warnings").hidden = warnings.length === 0;
  shown("inside").hidden = false;
  count();
}

function out(text) {
  clearTimeout(next);
  shown("inside").hidden = true;
  say(`${text} To sign in, open a link: \`sekisho token link\` makes one.`);
}

async function begin() {
  const link = takeLink();
  let refused = "";
  if (link) {
    try {
      const signedIn = await ask("POST", "/api/session", { link });
      localStorage.setItem(KEPT, signedIn.pageKey);
    } catch (error) {
      refused = `This link was not taken: ${error.message}.`;
    }
  }
  try {
    inside(await ask("GET", "/api/session"));
  } catch (error) {
    out(refused || (error.status === 401 ? "You are not signed in." : "The server cannot be reached."));
  }
}

shown("leave").addEventListener("click", async () => {
  try {
    const key = pageKey();
    await ask("DELETE", "/api/session");
    forget(key);
    out("You are signed out.");
  } catch (error) {
    if (error.status === 401) {
      out("You are signed out.");
    } else {
      say(`You are still signed in: ${error.message}.`);
    }
  }
});
// A link opened while the page is open only changes what stands behind `#`.
addEventListener("hashchange", begin);
begin();
