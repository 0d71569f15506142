/**
 * Makes the bot ready on its homeserver: registers it **before** anything else uses it (a server may refuse to register
 * a user that already has a profile), names it, and has the homeserver reach our webhook. Repeating it changes nothing.
 * What is wrong is said in words for the person who set it up.
 */
import { isMatrixError, type MatrixClient, type MatrixError } from './client.ts';
import { serverOf } from './ids.ts';

export type ConnectOptions = {
  /** The bot's user id. */
  readonly bot: string;
  /** The `id` of the registration. */
  readonly appserviceId: string;
  readonly displayName?: string;
  /** An `mxc:` URL. */
  readonly avatarUrl?: string;
  readonly signal?: AbortSignal;
};

export type Connected =
  | { readonly ok: true; readonly registered: 'registered' | 'exists'; readonly pingMs: number }
  | { readonly ok: false; readonly step: Step; readonly problem: string };

type Step = 'register' | 'whoami' | 'profile' | 'ping';

export async function connect(client: MatrixClient, options: ConnectOptions): Promise<Connected> {
  const { bot, appserviceId, displayName, avatarUrl } = options;
  const call = options.signal && { signal: options.signal };
  let step: Step = 'register';
  try {
    const registered = await client.register(bot.slice(1, bot.indexOf(':')), call);
    step = 'whoami';
    const user = await client.whoami(call);
    if (user !== bot) return { ok: false, step, problem: strangerProblem(user, bot) };
    step = 'profile';
    const profile = await client.profile(bot, call);
    if (displayName !== undefined && displayName !== profile?.displayName)
      await client.setDisplayName(displayName, call);
    if (avatarUrl !== undefined && avatarUrl !== profile?.avatarUrl)
      await client.setAvatarUrl(avatarUrl, call);
    step = 'ping';
    return { ok: true, registered, pingMs: await client.ping(appserviceId, call) };
  } catch (error) {
    if (!isMatrixError(error)) throw error;
    return { ok: false, step, problem: problemOf(step, error) };
  }
}

function strangerProblem(user: string, bot: string): string {
  return serverOf(user) === serverOf(bot)
    ? `The as_token speaks for ${user}, not for ${bot}: the bot must be the registration's sender_localpart.`
    : `The homeserver calls itself "${serverOf(user)}", not "${serverOf(bot)}": use its server_name for the bot.`;
}

/** In words, with what the homeserver answered behind them. */
function problemOf(step: Step, error: MatrixError): string {
  const answer = [error.status || '', error.errcode].filter(Boolean).join(' ');
  const words = step === 'ping' ? (pingProblem(error) ?? anyProblem(step, error)) : anyProblem(step, error);
  return answer ? `${words} (${answer})` : words;
}

function anyProblem(step: Step, { kind, status, errcode }: MatrixError): string {
  switch (errcode) {
    case 'M_UNKNOWN_TOKEN':
    case 'M_MISSING_TOKEN':
      return 'The homeserver does not know the as_token. Is the registration in its configuration, with this token, and was it restarted since?';
    case 'M_EXCLUSIVE':
      return "The bot is not in the users namespace of this token's registration.";
    case 'M_INVALID_USERNAME':
      return "The homeserver does not take the bot's localpart for a user name.";
  }
  if (kind === 'limited') return 'The homeserver asks for fewer requests. Try again in a minute.';
  if (status === 0) return 'The homeserver does not answer. Is it running, and is its URL right?';
  if (status >= 300 && status < 400)
    return "The homeserver's URL leads to another. Give the one it leads to.";
  if (errcode === '') return 'What answers at that URL is no homeserver, or one that is not up yet.';
  if (step === 'register' && status === 500)
    return 'The homeserver cannot register the bot. If the bot was used before it was registered, its profile must be removed from the homeserver first.';
  return `The homeserver refused the step "${step}".`;
}

/** Spec v1.19, application service API, `POST /_matrix/client/v1/appservice/{appserviceId}/ping`. */
function pingProblem({ errcode, pinged }: MatrixError): string | undefined {
  switch (errcode) {
    case 'M_BAD_STATUS':
      if (pinged === 401 || pinged === 403)
        return `The webhook answered the homeserver with ${pinged}. Do both have the same hs_token?`;
      if (pinged === 404) return 'The webhook answered with 404. Is the url in the registration right?';
      return `The webhook answered with ${pinged ?? 'an error'}. See its log.`;
    case 'M_CONNECTION_FAILED':
      return 'The homeserver does not reach the webhook, or what it reaches does not answer in JSON. Is the url in the registration right, and can the homeserver reach it?';
    case 'M_CONNECTION_TIMEOUT':
      return 'The webhook did not answer the homeserver in time.';
    case 'M_URL_NOT_SET':
      return 'The registration has no url, so the homeserver tells us nothing.';
    case 'M_FORBIDDEN':
      return 'The id is not that of the registration with this as_token.';
    case 'M_UNRECOGNIZED':
      return 'The homeserver cannot be asked for a ping: it is older than spec v1.7. It may work all the same.';
    default:
      return undefined;
  }
}
