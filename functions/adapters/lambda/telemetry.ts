/**
 * Logs and metrics by Powertools: structured lines with ids and codes, counts in embedded metric format. No body, token or
 * query string can get here, since nothing here takes one; an error is logged by its name and place, not by its text.
 */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Count, Log } from '../../work/ports.ts';

export type Telemetry = {
  readonly log: Log;
  readonly count: Count;
  /** An unexpected error: its name, its causes' names and where it was thrown. */
  fail(error: unknown, details?: Readonly<Record<string, string>>): void;
  /** Writes the metrics of an invocation. */
  flush(): void;
};

export function telemetry(service: string): Telemetry {
  const logger = new Logger({ serviceName: service });
  const metrics = new Metrics({
    namespace: 'Turnpike',
    serviceName: service,
    defaultDimensions: { function: service },
  });
  let counted = false;
  const count: Count = (name, value = 1) => {
    metrics.addMetric(name, MetricUnit.Count, value);
    counted = true;
  };
  return {
    log: (message, details = {}) => logger.info(message, { ...details }),
    count,
    fail(error, details = {}) {
      logger.error('an invocation failed', { ...details, ...named(error) });
      count('Failures');
    },
    flush() {
      if (counted) metrics.publishStoredMetrics();
      counted = false;
    },
  };
}

function named(error: unknown): Readonly<Record<string, string | undefined>> {
  if (!(error instanceof Error)) return { error: typeof error };
  const frames = (error.stack ?? '').split('\n').filter((line) => line.trimStart().startsWith('at '));
  const cause = error.cause instanceof Error ? { cause: error.cause.name } : {};
  return {
    error: error.name,
    ...cause,
    at: frames
      .slice(0, 4)
      .map((frame) => frame.trim())
      .join(' | '),
  };
}
