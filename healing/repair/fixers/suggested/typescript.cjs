// Asks TypeScript's language service for its code fixes. A program of its own: it runs in the sandbox.
//
// `node -e THIS -- ERRORS_JSON`, where errors are [{file, line, codes}], lines from 1, files relative to here. Prints a
// JSON list of {file, line, code, message, fix, title, changes: {file: [[start, length, text], ...]}}, in UTF-16 units.
"use strict";
const fs = require("node:fs");
const path = require("node:path");

const here = process.cwd();
const top = process.env.heal_top || here;
const asked = JSON.parse(process.argv[process.argv.length - 1]);

function load() {
  const tsc = (process.env.PATH || "").split(":").map((folder) => path.join(folder, "tsc")).find((f) => fs.existsSync(f));
  const places = [here, top, ...(tsc ? [path.dirname(fs.realpathSync(tsc))] : [])];
  return require(require.resolve("typescript", { paths: places }));
}

const ts = load();
const PLAIN = {
  allowJs: true,
  checkJs: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
};

/** The settings of the project that a file is of: the nearest tsconfig.json, or the one it refers to that has it. */
function project(file) {
  const found = ts.findConfigFile(path.dirname(file), ts.sys.fileExists, "tsconfig.json");
  if (!found) return { options: PLAIN, fileNames: [file, ...sources()], key: "" };
  const read = (name) => ({ ...parse(name), key: name });
  const main = read(found);
  if (main.fileNames.includes(file)) return main;
  for (const reference of main.projectReferences || []) {
    const other = read(ts.resolveProjectReferencePath(reference));
    if (other.fileNames.includes(file)) return other;
  }
  return { ...main, fileNames: [...main.fileNames, file] };
}

/** The package's own files, for a repository of plain JavaScript that has no settings. */
function sources() {
  const endings = [".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx"];
  return ts.sys.readDirectory(here, endings, ["**/node_modules", "**/dist", "**/coverage"], ["**/*"]).slice(0, 2000);
}

function parse(name) {
  const json = ts.readConfigFile(name, ts.sys.readFile).config || {};
  return ts.parseJsonConfigFileContent(json, ts.sys, path.dirname(name));
}

const services = new Map();

function service(file) {
  const settings = project(file);
  if (!services.has(settings.key)) {
    const names = new Set(settings.fileNames);
    const host = {
      getCompilationSettings: () => settings.options,
      getScriptFileNames: () => [...names],
      getScriptVersion: () => "1",
      getScriptSnapshot: (name) =>
        fs.existsSync(name) ? ts.ScriptSnapshot.fromString(ts.sys.readFile(name) || "") : undefined,
      getCurrentDirectory: () => here,
      getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
      fileExists: ts.sys.fileExists,
      readFile: ts.sys.readFile,
      readDirectory: ts.sys.readDirectory,
      directoryExists: ts.sys.directoryExists,
      getDirectories: ts.sys.getDirectories,
      realpath: ts.sys.realpath,
    };
    services.set(settings.key, ts.createLanguageService(host));
  }
  return services.get(settings.key);
}

/** White space as the file has it, so that what is written looks like what is there. */
function formatting(text) {
  const indent = (/^( +|\t)\S/m.exec(text) || ["", "  "])[1];
  const format = ts.getDefaultFormatCodeSettings(text.includes("\r\n") ? "\r\n" : "\n");
  const size = indent === "\t" ? 4 : indent.length;
  return { ...format, indentSize: size, tabSize: size, convertTabsToSpaces: indent !== "\t", semicolons: semicolons(text) };
}

function semicolons(text) {
  const ended = (text.match(/;[ \t]*$/gm) || []).length;
  return ended * 4 < text.split("\n").length ? "remove" : "insert";
}

function quotes(text) {
  const double = (text.match(/(?:from |require\()"/g) || []).length;
  return double >= (text.match(/(?:from |require\()'|^'use strict'/g) || []).length ? "double" : "single";
}

function relative(name) {
  return path.relative(top, name);
}

const fixes = [];
const files = [...new Set(asked.map((error) => path.resolve(here, error.file)))].filter((name) => fs.existsSync(name));
for (const file of files) {
  const language = service(file);
  const text = ts.sys.readFile(file) || "";
  const preferences = { quotePreference: quotes(text), includeCompletionsForModuleExports: true };
  const told = [
    ...language.getSyntacticDiagnostics(file),
    ...language.getSemanticDiagnostics(file),
    ...language.getSuggestionDiagnostics(file),
  ];
  const tree = language.getProgram().getSourceFile(file);
  for (const one of told) {
    const line = tree.getLineAndCharacterOfPosition(one.start).line + 1;
    const wanted = asked.some(
      (error) => path.resolve(here, error.file) === file && error.line === line && error.codes.includes(one.code),
    );
    if (!wanted) continue;
    const end = one.start + one.length;
    const message = ts.flattenDiagnosticMessageText(one.messageText, " ");
    for (const fix of language.getCodeFixesAtPosition(file, one.start, end, [one.code], formatting(text), preferences)) {
      const changes = {};
      for (const change of fix.changes) {
        const edits = change.textChanges.map((edit) => [edit.span.start, edit.span.length, edit.newText]);
        changes[relative(change.fileName)] = edits;
      }
      fixes.push({ file: relative(file), line, code: one.code, message, fix: fix.fixName, title: fix.description, changes });
    }
  }
}
console.log(JSON.stringify(fixes));
