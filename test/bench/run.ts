/** The process of one bench: measures it and sends the values to the process that started it. */
import { benches } from './benches.ts';

const values = await benches[process.argv[2]!]!.measure();
process.send!(values, () => process.exit());
