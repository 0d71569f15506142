/** Before any test: what they need is installed, or the run ends with what is missing. */
import { installChromium } from './browser.ts';
import { installSynapse } from './synapse/install.ts';

export async function setup(): Promise<void> {
  await installSynapse();
  await installChromium();
}
