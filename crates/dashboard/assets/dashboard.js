// The dashboard's only script. It replaces fragments that the server rendered, and nothing else: without
// it the pages are plain forms. It never sends an answer by itself.
"use strict";
(() => {
  const body = document.body;
  const base = body.dataset.base;
  const byId = (id) => document.getElementById(id);

  // ---- the login page: goes on once the characters were typed in the terminal
  const login = byId("login-code");
  if (login) {
    const path = login.dataset.login;
    const look = async () => {
      try {
        const response = await fetch(path + "/state", { credentials: "same-origin" });
        const state = await response.text();
        if (state !== "waiting") { location.assign(path); return; }
      } catch { /* asked again below */ }
      setTimeout(look, 700);
    };
    setTimeout(look, 700);
    return;
  }
  if (!base) return;

  // ---- answers count only once a card has been on the screen for a moment
  const SETTLE = 400;
  let armedAt = 0;
  let isOffline = false;
  let wholeSeen = !byId("end");
  const panel = () => byId("panel");
  const answerButtons = () => document.querySelectorAll("form[data-answer] button[type=submit]");
  const isYes = (button) => button.value !== "decline" && button.value !== "decline-and-stop";

  function arm() {
    armedAt = performance.now() + SETTLE;
    setButtons();
    setTimeout(setButtons, SETTLE + 20);
  }
  function setButtons() {
    const settled = performance.now() >= armedAt && !isOffline;
    for (const button of answerButtons()) {
      if (button.hidden) continue;
      button.disabled = !settled || (isYes(button) && !wholeSeen);
    }
    panel()?.classList.toggle("stale", !settled);
  }
  const end = byId("end");
  if (end && "IntersectionObserver" in window) {
    new IntersectionObserver((seen) => {
      if (seen.some((one) => one.isIntersecting)) { wholeSeen = true; setButtons(); }
    }).observe(end);
  }

  // A press that began before the card was there, or before it settled, is no answer.
  let pressedAt = 0;
  document.addEventListener("pointerdown", () => { pressedAt = performance.now(); }, true);
  document.addEventListener("keydown", (event) => { if (!event.repeat) pressedAt = performance.now(); }, true);
  let isSending = false;
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post") return;
    const isAnswer = "answer" in form.dataset;
    if (isAnswer && (isOffline || isSending || !event.submitter || pressedAt < armedAt - 1 || performance.now() < armedAt)) {
      event.preventDefault();
      return;
    }
    if (isSending) { event.preventDefault(); return; }
    isSending = true;
    setTimeout(() => { isSending = false; }, 3000);
  });
  document.addEventListener("dblclick", (event) => { if (event.target.closest("form[data-answer]")) event.preventDefault(); });
  // The back button, or a restored tab, must show what is so now.
  window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

  // ---- times
  const units = (seconds) => {
    const minutes = Math.floor((seconds + 30) / 60), hours = Math.floor((seconds + 1800) / 3600);
    if (seconds < 60) return Math.max(seconds, 1) + " s";
    if (minutes < 100) return minutes + " min";
    if (hours < 48) return hours + " h";
    return Math.floor((seconds + 43200) / 86400) + " days";
  };
  function showTimes() {
    const now = Date.now();
    for (const time of document.querySelectorAll("time[data-ago]")) {
      const at = Date.parse(time.dateTime);
      const seconds = Math.floor(Math.abs(now - at) / 1000);
      const text = at > now ? "in " + units(seconds) : seconds < 10 ? "just now" : units(seconds) + " ago";
      if (time.textContent !== text) time.textContent = text;
      if (!time.title) time.title = new Date(at).toLocaleString();
    }
    for (const time of document.querySelectorAll("time[data-clock]")) {
      const at = new Date(time.dateTime);
      const pad = (n) => String(n).padStart(2, "0");
      const day = at.getFullYear() + "-" + pad(at.getMonth() + 1) + "-" + pad(at.getDate());
      const text = day + " " + pad(at.getHours()) + ":" + pad(at.getMinutes()) + ":" + pad(at.getSeconds());
      if (time.textContent !== text) time.textContent = text;
    }
  }
  setInterval(showTimes, 5000);

  // ---- fragments
  const comparable = (element) => {
    const copy = element.cloneNode(true);
    for (const time of copy.querySelectorAll("time[data-ago]")) time.textContent = "";
    for (const token of copy.querySelectorAll("input[name=token]")) token.value = "";
    return copy.innerHTML;
  };
  // Where the focus is, so that it can go back there.
  function focusPath() {
    const at = document.activeElement;
    if (!at || at === body) return null;
    const link = at.closest("a[data-request]");
    if (at.id) return "#" + CSS.escape(at.id);
    if (link) return `a[data-request="${CSS.escape(link.dataset.request)}"]`;
    const label = at.getAttribute("aria-label");
    return label ? `${at.tagName}[aria-label="${CSS.escape(label)}"]` : null;
  }
  function replaceFragments(fresh) {
    const focus = focusPath();
    const [x, y] = [scrollX, scrollY];
    for (const old of document.querySelectorAll("[data-live]")) {
      const now = fresh.getElementById(old.id);
      if (!now || comparable(old) === comparable(now)) continue;
      const open = [...old.querySelectorAll("details[open] summary strong")].map((one) => one.textContent);
      old.replaceChildren(...now.childNodes);
      for (const details of old.querySelectorAll("details")) {
        if (open.includes(details.querySelector("summary strong")?.textContent)) details.open = true;
      }
    }
    replaceCard(fresh);
    document.title = fresh.title;
    const icon = byId("icon"), freshIcon = fresh.getElementById("icon");
    if (icon && freshIcon && icon.getAttribute("href") !== freshIcon.getAttribute("href")) icon.setAttribute("href", freshIcon.getAttribute("href"));
    if (focus && (!document.activeElement || document.activeElement === body)) document.querySelector(focus)?.focus({ preventScroll: true });
    if (scrollX !== x || scrollY !== y) scrollTo(x, y);
    showTimes();
  }
  function replaceCard(fresh) {
    const holder = panel(), freshHolder = fresh.getElementById("panel");
    if (!holder || !freshHolder) return;
    const old = byId("card"), now = fresh.getElementById("card");
    if ((old?.dataset.version ?? "") === (now?.dataset.version ?? "")) return;
    const isSame = old && now && old.dataset.request === now.dataset.request;
    const note = isSame ? old.querySelector("#note")?.value : "";
    const typed = isSame ? old.querySelector("#confirm")?.value : "";
    const hadFocus = old?.contains(document.activeElement);
    const focus = hadFocus ? document.activeElement.id : "";
    holder.replaceChildren(...freshHolder.childNodes);
    holder.closest(".now")?.classList.toggle("empty", !now);
    const card = byId("card");
    if (card && note) { const field = card.querySelector("#note"); if (field) field.value = note; }
    if (card && typed) { const field = card.querySelector("#confirm"); if (field) field.value = typed; }
    if (hadFocus && card) (["note", "confirm"].includes(focus) ? byId(focus) ?? card : card).focus({ preventScroll: true });
    announce(card);
    arm();
  }
  function announce(card) {
    const text = card?.querySelector(".closed")?.textContent ?? card?.dataset.announce ?? "";
    const announcer = byId("announcer");
    if (announcer && text && announcer.textContent !== text) announcer.textContent = text;
  }

  let isLoading = false, isWanted = false;
  async function refresh() {
    if (isLoading) { isWanted = true; return; }
    isLoading = true;
    try {
      const address = new URL(location.href);
      address.hash = "";
      // A question stays on the screen until its reader goes on.
      const shown = byId("card")?.dataset.request;
      if (shown && !address.searchParams.has("r") && address.pathname === base) address.searchParams.set("r", shown);
      if (byId("whole-text") || document.querySelector(".whole-page")) { await refreshWhole(); return; }
      const response = await fetch(address, { credentials: "same-origin", headers: { accept: "text/html" } });
      if (response.status === 401 || response.status === 403) { location.reload(); return; }
      if (!response.ok) return;
      replaceFragments(new DOMParser().parseFromString(await response.text(), "text/html"));
    } catch { setOffline(true); } finally {
      isLoading = false;
      if (isWanted) { isWanted = false; setTimeout(refresh, 50); }
    }
  }
  async function refreshWhole() {
    const response = await fetch(base + "?r=" + byId("card").dataset.request, { credentials: "same-origin" });
    if (!response.ok) return;
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    const closed = fresh.querySelector("#card .closed");
    if (closed) { replaceCard(fresh); document.title = fresh.title; }
  }

  // ---- the stream
  let stream = null, last = body.dataset.position, slow = 0;
  function setOffline(now) {
    if (now === isOffline) return;
    isOffline = now;
    body.classList.toggle("is-offline", now);
    const sign = byId("offline");
    if (sign) sign.hidden = !now;
    setButtons();
  }
  function connect() {
    if (stream || document.hidden) return;
    stream = new EventSource(base + "events?after=" + last);
    stream.addEventListener("open", () => { if (isOffline) { setOffline(false); arm(); refresh(); } });
    stream.addEventListener("questions", (event) => { last = event.lastEventId || last; refresh(); });
    stream.addEventListener("calls", (event) => {
      last = event.lastEventId || last;
      if (!slow) slow = setTimeout(() => { slow = 0; refresh(); }, 2000);
    });
    stream.addEventListener("error", () => {
      setOffline(true);
      if (stream?.readyState === EventSource.CLOSED) { stream = null; setTimeout(() => { connect(); refreshIfBack(); }, 1500); }
    });
  }
  async function refreshIfBack() {
    try {
      const response = await fetch(base + "events?after=" + last + "&probe=1", { credentials: "same-origin" });
      if (response.status === 401) location.reload();
      response.body?.cancel();
    } catch { /* still away */ }
  }
  function disconnect() { stream?.close(); stream = null; }
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) disconnect(); else { arm(); connect(); refresh(); }
  });
  window.addEventListener("pagehide", disconnect);

  // ---- keys
  const areKeysOn = () => { try { return localStorage.getItem("countersign-keys") !== "off"; } catch { return true; } };
  const help = byId("help"), helpButton = byId("help-button"), keysOn = byId("keys-on");
  if (helpButton) { helpButton.hidden = false; helpButton.addEventListener("click", () => help.showModal()); }
  if (keysOn) {
    keysOn.checked = areKeysOn();
    keysOn.addEventListener("change", () => { try { localStorage.setItem("countersign-keys", keysOn.checked ? "on" : "off"); } catch { /* for this page only */ } });
  }
  const rows = () => [...document.querySelectorAll("#list a[data-request]")].filter((row) => row.offsetParent);
  let goes = 0;
  const pages = { n: "", r: "record", a: "grants", s: "sessions", u: "rules", i: "insights" };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || help?.open) return;
    const at = document.activeElement;
    if (at && (at.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName))) return;
    if (event.key === "?") { help?.showModal(); event.preventDefault(); return; }
    if (!areKeysOn()) return;
    if (performance.now() < goes && event.key in pages) { location.assign(base + pages[event.key]); event.preventDefault(); return; }
    if (event.key === "g") { goes = performance.now() + 1500; return; }
    if (event.key === "j" || event.key === "k") {
      const list = rows();
      if (!list.length) return;
      let index = list.indexOf(at);
      if (index < 0) index = list.findIndex((row) => row.getAttribute("aria-current"));
      const next = list[Math.min(Math.max(index + (event.key === "j" ? 1 : -1), 0), list.length - 1)];
      next.focus();
      event.preventDefault();
      return;
    }
    // These only move the focus, and only while the card has it: no single key answers.
    const inCard = at && at.closest && at.closest("#card");
    if (!inCard) return;
    const target = { y: "allow-once", n: "decline", v: "whole-link" }[event.key];
    if (target && byId(target)) { byId(target).focus(); event.preventDefault(); }
  });
  // A card that was opened by a link gets the focus, and no button of it does.
  if (new URLSearchParams(location.search).has("r")) byId("card")?.focus({ preventScroll: true });

  arm();
  showTimes();
  connect();
  if (byId("message")) announce(null);
})();
