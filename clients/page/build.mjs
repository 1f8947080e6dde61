// Makes the page from src/ and the TypeScript client: `node build.mjs [FOLDER]`. Default folder: service/web/page.
// The same bytes from the same sources, wherever they lie.
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const into = `${process.argv[2] ?? here('../../service/web/page')}/`;

async function bundle(entry, format) {
  const made = await build({
    absWorkingDir: here('.'), entryPoints: [`src/${entry}`], bundle: true, minify: true, write: false,
    format, target: 'es2022', charset: 'utf8', legalComments: 'none', logLevel: 'warning',
  });
  return made.outputFiles[0].text;
}

/** A source that a policy lets run, or style, by what it says. */
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** A file without its data: it fetches nothing, and runs its own script alone. */
async function frame(name, style) {
  const script = (await bundle(`${name}.ts`, 'iife')).trim();
  const parts = { script, style, policy: `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}` };
  const made = readFileSync(here(`src/${name}.html`), 'utf8').replace(/\{\{(script|style|policy)\}\}/g, (_, part) => parts[part]);
  writeFileSync(`${into}${name}.html`, made);
}

function examples() {
  const folder = here('../../examples/logs');
  const names = readdirSync(folder).filter((name) => name.endsWith('.json')).sort();
  const found = names.map((name) => ({
    name: name.slice(0, -'.json'.length), request: JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')),
  }));
  return `${JSON.stringify(found)}\n`;
}

mkdirSync(into, { recursive: true });
const style = (await bundle('styles/page.css')).trim();
writeFileSync(`${into}page.css`, `${style}\n`);
writeFileSync(`${into}page.js`, await bundle('page.ts', 'esm'));
writeFileSync(`${into}live.js`, await bundle('live/live.ts', 'esm'));
writeFileSync(`${into}live.css`, await bundle('live/live.css'));
copyFileSync(here('src/live/live.html'), `${into}live.html`);
await frame('report', style);
await frame('label', (await bundle('styles/page.css')).trim());
writeFileSync(`${into}examples.json`, examples());
for (const name of ['index.html', 'icon.svg']) copyFileSync(here(`src/${name}`), `${into}${name}`);
