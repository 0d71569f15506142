/** Small files: upload, and download with a token only; the old unauthenticated addresses do not exist. */
import type { World } from '../world.ts';
import { type OwnRequest, own, type Reply, type Route } from './route.ts';

export function mediaRoutes(world: World, maxUploadBytes: number): Route[] {
  const download = ({ params }: OwnRequest): Reply => {
    const { bytes, type, name: given } = world.download(params.server!, params.media!);
    const name = params.name ?? given;
    const file = name === undefined ? '' : `; filename*=utf-8''${encodeURIComponent(name)}`;
    return {
      bytes,
      headers: {
        'content-type': type,
        'content-disposition': `${/^(text\/plain|image\/(png|jpeg|gif|webp))/.test(type) ? 'inline' : 'attachment'}${file}`,
        'content-security-policy': "sandbox; default-src 'none'",
      },
    };
  };
  return [
    own('POST', '/_matrix/media/v3/upload', 'upload', ({ bytes, contentType, query }) => ({
      json: {
        content_uri: world.upload({
          bytes,
          type: contentType || 'application/octet-stream',
          name: query.get('filename') ?? undefined,
        }),
      },
    })),
    own('GET', '/_matrix/client/v1/media/config', 'download', () => ({
      json: { 'm.upload.size': maxUploadBytes },
    })),
    own('GET', '/_matrix/client/v1/media/download/:server/:media', 'download', download),
    own('GET', '/_matrix/client/v1/media/download/:server/:media/:name', 'download', download),
  ];
}
