// Adds up vitest's JSON reports, given as NAME=STATUS=PATH. Whatever ended badly has at least one failure.
import { readFileSync } from 'node:fs';

function countsOf(suite) {
  const [, name, status, path] = /^(.*?)=(\d+)=(.*)$/.exec(suite);
  let [passed, failed] = [0, 0];
  try {
    for (const { status, assertionResults } of JSON.parse(readFileSync(path, 'utf8')).testResults) {
      const ended = (how) => assertionResults.filter((test) => test.status === how).length;
      passed += ended('passed');
      // A file that could not be loaded fails without a test of its own.
      failed += status === 'failed' ? Math.max(1, ended('failed')) : ended('failed');
    }
  } catch (error) {
    console.error(`${name} left no report: ${error.message}`);
    failed = Math.max(1, failed);
  }
  return { passed, failed: status === '0' ? failed : Math.max(1, failed) };
}

const counts = process.argv.slice(2).map(countsOf);
const sum = (what) => counts.reduce((total, count) => total + count[what], 0);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exitCode = sum('failed') > 0 ? 1 : 0;
