/**
 * The rules of the house, kept by walking the imports: which module may know which, where an SDK may stand, what a
 * module must be given instead of taking it, and how long a file may be.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = resolve(fileURLToPath(new URL('..', import.meta.url)));

/** What each module of `functions/` may import; `types` only as types. `runtime` is given to all. */
const arrows: Record<string, { imports?: string[]; types?: string[]; packages?: string[] }> = {
  runtime: {},
  matrix: { packages: ['markdown-it'] },
  gate: { types: ['matrix'], imports: ['matrix'] },
  turns: {},
  agent: { types: ['turns'] },
  memory: { types: ['matrix'] },
  inbox: { imports: ['matrix', 'gate'] },
  work: { imports: ['matrix', 'gate', 'turns', 'agent', 'memory'] },
  access: { imports: ['matrix', 'turns'], packages: ['jose'] },
  stream: { imports: ['turns', 'access', 'work'] },
  client: { imports: ['turns'], packages: ['ai'] },
};

const MAX_LINES = 300;
const MAX_ENTRY_LINES = 40;

type Import = { from: string; target: string; typeOnly: boolean };

function files(folder: string): string[] {
  return readdirSync(join(root, folder)).flatMap((name) => {
    const path = join(folder, name);
    if (name === 'node_modules' || name === 'dist') return [];
    return statSync(join(root, path)).isDirectory() ? files(path) : /\.tsx?$/.test(name) ? [path] : [];
  });
}

function imports(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  const found: Import[] = [];
  for (const match of text.matchAll(/^\s*(?:import|export)\s+([^;]*?)\s*from\s+'([^']+)'/gms)) {
    const names = match[1]!.trim();
    const inner = /^\{([^}]*)\}$/s.exec(names)?.[1];
    const typeOnly =
      names.startsWith('type ') ||
      inner?.split(',').every((name) => !name.trim() || name.trim().startsWith('type ')) === true;
    found.push({ from: file, target: match[2]!, typeOnly });
  }
  for (const match of text.matchAll(/\bimport\(\s*'([^']+)'\s*\)/g))
    found.push({ from: file, target: match[1]!, typeOnly: false });
  for (const match of text.matchAll(/^\s*import\s+'([^']+)'/gm))
    found.push({ from: file, target: match[1]!, typeOnly: false });
  return found;
}

const moduleOf = (path: string) => /^functions\/([^/]+)\//.exec(path)?.[1];
const local = ({ from, target }: Import) =>
  target.startsWith('.') ? relative(root, resolve(root, dirname(from), target)) : undefined;

const product = files('functions');
const every = [...product, ...files('lib'), ...files('bin'), ...files('test')];

describe('the arrows between modules', () => {
  it.each(product.filter((file) => moduleOf(file) && moduleOf(file) !== 'adapters'))('%s', (file) => {
    const own = moduleOf(file)!;
    const rule = arrows[own];
    expect(rule, `a module the plan does not name: ${own}`).toBeDefined();
    for (const one of imports(file)) {
      const path = local(one);
      if (path === undefined) {
        const allowed = one.target.startsWith('node:') || rule!.packages?.includes(one.target);
        expect(allowed, `${file} imports the package ${one.target}`).toBeTruthy();
        continue;
      }
      const other = moduleOf(path);
      expect(other, `${file} reaches outside the modules: ${path}`).toBeDefined();
      if (other === own || other === 'runtime' || rule!.imports?.includes(other!)) continue;
      expect(one.typeOnly && rule!.types?.includes(other!), `${file} must not import ${path}`).toBeTruthy();
    }
  });

  it('are checked against imports that break them', () => {
    expect(imports('test/architecture.test.ts').some((one) => one.target === 'vitest')).toBe(true);
    expect(moduleOf('functions/gate/rules.ts')).toBe('gate');
    expect(moduleOf('functions/webhook.ts')).toBeUndefined();
  });
});

describe('what a module is given instead of taking it', () => {
  /** A client runs where nobody gives it anything. */
  const given = (file: string) => moduleOf(file) !== 'adapters' && file !== 'functions/client/platform.ts';
  const modules = product.filter((file) => moduleOf(file) && given(file));
  const taken =
    /\bprocess\.env\b|\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bperformance\.now\b|\bset(Timeout|Interval|Immediate)\b|\brandom(UUID|Bytes|Int)\b|\bfetch\(/;
  it.each(modules)('%s', (file) => {
    const code = readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    expect(taken.exec(code)?.[0]).toBeUndefined();
  });
});

describe('the tree', () => {
  it('has an SDK in adapters only, lib apart from logic, and no way up from functions', () => {
    for (const one of every.flatMap(imports)) {
      const sdk = /^@aws-(sdk|lambda-powertools)\//.test(one.target);
      const path = local(one) ?? '';
      if (sdk && moduleOf(one.from) !== 'adapters' && !/^(bin|test)\//.test(one.from))
        expect.fail(`${one.from} imports the SDK ${one.target}`);
      if (one.from.startsWith('functions/') && /^(bin|test)\//.test(path))
        expect.fail(`${one.from} imports ${path}`);
      if (one.from.startsWith('functions/') && path.startsWith('lib/') && moduleOf(one.from) !== 'adapters')
        expect.fail(`${one.from} imports ${path}`);
      if (one.from.startsWith('lib/') && path.startsWith('functions/') && !/\/(keys|env)\.ts$/.test(path))
        expect.fail(`${one.from} imports logic: ${path}`);
      if (one.from.startsWith('bin/') && path.startsWith('test/')) expect.fail(`${one.from} imports ${path}`);
    }
  });

  it('has no barrels, no utils, short files and shorter entry points', () => {
    for (const file of every) {
      expect(file, 'a barrel').not.toMatch(/(^|\/)index\.tsx?$/);
      expect(file, 'a drawer for everything').not.toMatch(/(^|\/)(utils?|helpers?|common|misc)(\/|\.tsx?$)/);
      const lines = readFileSync(join(root, file), 'utf8').trimEnd().split('\n').length;
      const limit = /^functions\/[^/]+\.ts$/.test(file) ? MAX_ENTRY_LINES : MAX_LINES;
      expect(lines, `${file} has ${lines} lines`).toBeLessThanOrEqual(limit);
    }
  });

  it('opens each file of the product with what it promises', () => {
    for (const file of [...product, ...files('lib'), ...files('bin')])
      if (!file.endsWith('.d.ts'))
        expect(readFileSync(join(root, file), 'utf8'), file).toMatch(/^(#!.*\n)?\/\*\*\s/);
  });
});
