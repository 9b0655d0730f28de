// What browser tests share: a scripted model, the program that serves the page, and a browser that goes nowhere else.
// Start at `world`.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const PRODUCTS = new URL("../../target/debug/", import.meta.url).pathname;
const PROGRAM = process.env.CINQUE_PROGRAM ?? join(PRODUCTS, "cinque");
const MODEL = process.env.KIT_SERVER ?? join(PRODUCTS, "kit-server");
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** The browser's own errands are switched off, so that every request seen is the page's. */
const QUIET = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-sync",
  "--no-default-browser-check",
  "--no-first-run",
  "--disable-features=OptimizationHints,MediaRouter,Translate,AutofillServerCommunication",
];

let shared = null;

/** One browser a test file; it has a new and empty profile. */
export async function browser() {
  const root = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  shared ??= await chromium.launch({ executablePath: CHROMIUM, args: [...QUIET, ...root] });
  return shared;
}

export async function closeBrowser() {
  await shared?.close();
  shared = null;
}

/** A model that hands every request to `answer`, which gives a reply, or null for none at all. */
export async function wire(t, answer) {
  const requests = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (bytes) => (body += bytes));
    request.on("end", () => {
      if (request.method !== "POST") return response.writeHead(404).end();
      const asked = JSON.parse(body);
      const reply = answer(asked, requests.push(asked));
      if (reply === null) return;
      const delta = { content: reply.text, tool_calls: reply.calls?.map(toolCall) };
      const chunk = { choices: [{ index: 0, delta, finish_reason: reply.calls ? "tool_calls" : "stop" }] };
      const usage = { choices: [], usage: { prompt_tokens: 1200, completion_tokens: 30 } };
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`data: ${JSON.stringify(chunk)}\n\ndata: ${JSON.stringify(usage)}\n\ndata: [DONE]\n\n`);
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { requests, address: `http://127.0.0.1:${server.address().port}/v1` };
}

const toolCall = ({ name, arguments: args, id }, index) => ({ index, id, function: { name, arguments: JSON.stringify(args) } });

/** A scratch folder with a server and, unless `replies` is null, a scripted model. All is gone when the test `t` ends. */
export async function world(t, replies, options = {}) {
  const folder = mkdtempSync(join(tmpdir(), "cinque-page-"));
  const work = join(folder, "work");
  mkdirSync(work);
  for (const [name, text] of Object.entries(options.files ?? {})) writeFileSync(join(work, name), text);
  const here = new World(folder, work, options);
  t.after(() => here.end());
  if (replies) {
    const script = join(folder, "script.json");
    writeFileSync(script, JSON.stringify({ replies }));
    here.model = await here.start(MODEL, [script], {}, (line) => line.startsWith("http"));
  } else if (options.wire) {
    here.model = { line: options.wire.address };
  }
  await here.serve();
  return here;
}

class World {
  children = [];
  contexts = [];
  /** What pages did that no page may do. */
  faults = [];

  constructor(folder, work, options) {
    this.folder = folder;
    this.work = work;
    this.options = options;
  }

  /** Starts the server, again on the same port if it ran before, so that pages find it again. */
  async serve() {
    const port = this.address ? new URL(this.address).port : "0";
    const keys = this.model ? { OPENAI_BASE_URL: this.model.line, OPENAI_API_KEY: "test" } : {};
    const environment = { ...keys, CINQUE_MODEL: this.options.model ?? "openai/test" };
    const args = ["serve", "--port", port, "--no-open"];
    this.server = await this.start(PROGRAM, args, environment, (line) => line.includes("token="));
    this.address = /http:\/\/\S+token=\S+/.exec(this.server.line)?.[0];
    assert.ok(this.address, `no address in ${this.server.line}`);
    this.origin = new URL(this.address).origin;
    this.token = new URL(this.address).searchParams.get("token");
  }

  /** Starts a program and waits for the line that says it is ready. */
  async start(program, args, environment, ready) {
    const home = join(this.folder, "home");
    mkdirSync(home, { recursive: true });
    const clean = { PATH: process.env.PATH, LANG: "C.UTF-8", HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home };
    const child = spawn(program, args, { cwd: this.work, env: { ...clean, ...environment }, stdio: ["ignore", "pipe", "pipe"] });
    this.children.push(child);
    let said = "";
    child.stderr.on("data", (bytes) => (said += bytes));
    const ended = new Promise((_, fail) => {
      child.on("error", fail);
      child.on("exit", (code) => fail(new Error(`${program} ended with ${code}: ${said}`)));
    });
    ended.catch(() => {});
    const lines = createInterface({ input: child.stdout });
    const found = new Promise((done) => lines.on("line", (line) => ready(line) && done(line)));
    return { child, ended, line: await Promise.race([found, ended]) };
  }

  /** Ends the server as a crash would. */
  async kill() {
    this.server.child.kill("SIGKILL");
    await this.server.ended.catch(() => {});
  }

  async restart() {
    await this.kill();
    await this.serve();
  }

  /** A new tab of a browser of its own, signed in, at a path. */
  async page(path = "/", settings = {}) {
    const context = await this.context(settings);
    const page = await context.newPage();
    await this.signIn(page, path);
    return page;
  }

  async signIn(page, path = "/") {
    await page.goto(this.address);
    if (path !== "/") await page.goto(this.origin + path);
  }

  async context(settings = {}) {
    const made = await (await browser()).newContext({ viewport: { width: 1200, height: 800 }, ...settings });
    this.contexts.push(made);
    made.setDefaultTimeout(10_000);
    await made.route("**/*", (route) => {
      const { hostname } = new URL(route.request().url());
      if (["localhost", "127.0.0.1", "[::1]"].includes(hostname)) return route.continue();
      this.faults.push(`a request left this machine: ${route.request().url()}`);
      return route.abort();
    });
    made.on("page", (page) => {
      page.on("pageerror", (error) => this.faults.push(`an error: ${error.message}`));
      page.on("dialog", (dialog) => {
        this.faults.push(`a dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      page.on("console", (message) => {
        if (/Content Security Policy|Refused to/.test(message.text())) this.faults.push(message.text());
      });
    });
    return made;
  }

  /** A request as a program makes it. */
  async rest(method, path, body) {
    const headers = { authorization: `Bearer ${this.token}`, "content-type": "application/json" };
    const answer = await fetch(this.origin + path, { method, headers, body: body && JSON.stringify(body) });
    return answer.json();
  }

  async end() {
    await Promise.all(this.contexts.map((context) => context.close()));
    for (const child of this.children) child.kill("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
    assert.deepEqual(this.faults, []);
  }
}

/** Replies of the model. */
export const says = (text, more = {}) => ({ text, usage: { input: 1200, output: 30 }, ...more });
export const calls = (...list) => ({ calls: list.map(([name, args], at) => ({ name, arguments: args, id: args.id ?? `call_${name}_${at}` })) });
export const final = (output) => calls(["final_output", { output }]);
export const shell = (command, id) => ({ calls: [{ name: "shell", arguments: { command }, ...(id ? { id } : {}) }] });

/** Writes into the box and sends it. */
export async function say(page, text) {
  const box = page.getByRole("textbox", { name: "Message" });
  await box.fill(text);
  await box.press("Enter");
}

export const main = (page) => page.getByRole("main");
export const card = (page) => page.locator(".card");
export const approve = (page) => page.getByRole("button", { name: "Approve" });
export const decline = (page) => page.getByRole("button", { name: "Decline" });
