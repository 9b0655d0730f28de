// Colours for code, in few languages, loaded when the first block of code is drawn. Start at `highlight`.
//
// The highlighter's own output is HTML; an emitter of ours takes plain tokens instead, so no HTML is ever made.

import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

export type Token = { text: string; scope: string };

/** Longer code is shown without colours: the highlighter would hold the page up. */
const LIMIT = 50_000;

const LANGUAGES = { bash, c, cpp, csharp, css, diff, go, ini, java, javascript, json, markdown, python, rust, sql, typescript, xml, yaml };
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);
hljs.registerAliases(["toml"], { languageName: "ini" });
hljs.registerAliases(["sh", "shell", "zsh", "console"], { languageName: "bash" });

class Tokens {
  readonly tokens: Token[] = [];
  private readonly scopes: string[] = [];

  addText(text: string): void {
    if (text !== "") this.tokens.push({ text, scope: this.scopes.at(-1) ?? "" });
  }

  startScope(scope: string): void {
    this.scopes.push((scope.split(".")[0] ?? "").replace(/^language:.*/, ""));
  }

  endScope(): void {
    this.scopes.pop();
  }

  openNode(scope: string): void {
    this.startScope(scope);
  }

  closeNode(): void {
    this.endScope();
  }

  __addSublanguage(other: Tokens): void {
    this.tokens.push(...other.tokens);
  }

  closeAllNodes(): void {
    this.scopes.length = 0;
  }

  finalize(): void {}

  toHTML(): string {
    return "";
  }
}

// The option is how other renderers hook in too; its type is not public.
hljs.configure({ __emitter: Tokens } as object);

export function highlight(code: string, language: string): Token[] {
  if (code.length > LIMIT || !hljs.getLanguage(language)) return [{ text: code, scope: "" }];
  const result = hljs.highlight(code, { language, ignoreIllegals: true });
  const emitter: unknown = result._emitter;
  return emitter instanceof Tokens ? emitter.tokens : [{ text: code, scope: "" }];
}
