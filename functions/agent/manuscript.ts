/** Text of a given size for the local model: markdown with headings, lists, code and emoji, the same for the same size. */

const WORDS =
  'the turn is written to the log before the room hears of it and whoever comes late reads the same words'.split(
    ' ',
  );

function block(n: number): string {
  const words = Array.from({ length: 40 }, (_, i) => WORDS[(n * 7 + i) % WORDS.length]!).join(' ');
  switch (n % 5) {
    case 0:
      return `## Chapter ${n / 5 + 1} ✨`;
    case 3:
      return `* ${words}\n* **${words}**\n* \`${n}\` and <b>not html</b>`;
    case 4:
      return `\`\`\`ts\nconst line${n} = '${words}';\n\n// ${n}\n\`\`\``;
    default:
      return `Paragraph ${n}. ${words[0]!.toUpperCase()}${words.slice(1)}.`;
  }
}

/** At least `amount` words or UTF-8 bytes, ended at a block. */
export function manuscript(amount: number, unit: 'words' | 'bytes'): string {
  const blocks: string[] = [];
  for (let n = 0, size = 0; size < amount; n++) {
    const next = block(n);
    blocks.push(next);
    size += unit === 'words' ? next.split(/\s+/).length : Buffer.byteLength(next) + 2;
  }
  return blocks.join('\n\n');
}
