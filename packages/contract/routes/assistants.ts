import { route } from '../route.ts';

/**
 * The MCP endpoint at /mcp. It requires an explicit credential; a session cookie does not count, because browsers send it
 * automatically. Each tool call is then authorized as an operation of its own.
 */
export const mcpEndpoint = route({
  id: 'mcp',
  method: 'POST',
  path: '/mcp',
  summary: 'The MCP server',
  chapter: 'Assistants',
  audit: 'not needed: each tool is an operation, which leaves its own entry',
  access: { credentials: ['mcp', 'api_key', 'app'], grain: 'profile', entitlement: 'not needed' },
  answers: {},
});
