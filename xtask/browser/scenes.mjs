// What agents ask for in the pictures and in the checks.
export const shell = (command, more = {}) => ({ tool: "Bash", args: { command }, ...more });

export const hostile = {
  text: "\u001b[31mred\u001b[0m \u202egnirts\u202c zero\u200bwidth <script>window.pwned=1</script> <img src=x onerror=window.pwned=1> javascript:window.pwned=1 \u0007",
  host: "https://gооgle.com/login",
};

/** Calls of two agents that wait, that were allowed and that were denied. */
export async function fill(daemon) {
  const requests = {};
  let call;
  const ask = async (name, agent, fields) => {
    const reply = await daemon.call(agent, fields);
    if (reply.outcome !== "ask") { console.log(`${name}: ${reply.outcome} ${reply.reason}: ${reply.sentence}`); return; }
    requests[name] = await daemon.requestOf(reply.operation_id);
    call = reply.operation_id;
  };
  for (const command of ["git status", "git diff", "ls", "cat README.md"]) await daemon.call("claude", shell(command));
  const answer = async (agent, fields, choice, more = {}) => {
    const { operation_id: operation } = await daemon.call(agent, fields);
    const card = (await daemon.waiting()).find((one) => one.calls.includes(operation));
    const reply = await daemon.send("operator", "POST", `/v1/requests/${card.request}/answer`, { digest: card.digest, choice, surface: "terminal-1", ...more });
    if (reply.status !== 200) console.log(reply.text);
  };
  await answer("claude", shell("git commit -m 'Read no further than the limit'"), "session");
  for (const version of ["v1.3.0", "v1.3.1", "v1.3.2"]) await answer("claude", shell(`git tag ${version}`), "once");
  await answer("codex", shell("git merge topic/parser"), "decline", { note: "rebase it first" });
  await ask("install", "claude", shell("npm install left-pad@1.3.0 --save", { reason: "The table formatter needs it.", fallback: "I will write a small helper instead." }));
  await ask("push", "claude", shell("git push origin main", { reason: "The fix is ready for review." }));
  await ask("edit", "codex", { tool: "Edit", args: { file_path: "src/parser.rs", old_string: "let mut at = 0;\nlet end = text.len();\nwhile at < end {", new_string: "let mut at = 0;\nlet end = text.len().min(LIMIT);\nwhile at < end && !stopped {" }, target: "src/parser.rs", reason: "The parser must not read past the limit." });
  await ask("pay", "codex", { actions: ["bank.pay"], args: { amount: "42.00", currency: "EUR", to: "Acme Hosting" }, target: "Acme Hosting", reason: "The renewal is due today.", fallback: "Leave the cart and stop." });
  await ask("force", "claude", shell("git push --force origin main", { reason: "The history has to be rewritten." }));
  await ask("bundle", "codex", { actions: ["email.draft", "calendar.create"], args: { title: "Release 1.4", to: "team@example.org" }, reason: "Everybody should know when it is released." });
  await ask("long", "claude", { tool: "Write", args: { file_path: "src/generated.rs", content: Array.from({ length: 260 }, (_, line) => `pub const ROW_${line}: u32 = ${line * 7};`).join("\n") }, target: "/etc/generated.rs" });
  await daemon.call("codex", shell("rm -rf /"));
  return { requests, call };
}
