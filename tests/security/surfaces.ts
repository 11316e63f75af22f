import type { FastifyInstance } from 'fastify';

/** Every method and path of a server, read from its router. */
export function surfacesOf(fastify: FastifyInstance): { readonly method: string; readonly path: string }[] {
  const above: string[] = [];
  return fastify
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods] = /^(.*?)[├└]── (\S*)(?: \((.*)\))?$/u.exec(line) ?? [];
      if (part === '' && methods === undefined) return [];
      const depth = indent.length / 4;
      above.splice(depth, above.length, part);
      const path = above.join('').replaceAll(/\|:\w+/g, '');
      return (methods ?? '').split(', ').flatMap((method) => (method ? [{ method, path }] : []));
    });
}
