/** A tool, and the MCP server it belongs to. */
export interface NamedTool {
  toolName: string;
  serverId?: string;
}

/**
 * Splits `mcp__SERVER__TOOL`. A name that fits several tools of several servers is not guessed, because a rule that
 * names one of them could be missed: the result is `undefined`.
 */
export function parseMcpName(name: string): NamedTool | undefined {
  if (!name.startsWith('mcp__')) return { toolName: name };
  const [, serverId, toolName, ...more] = name.split('__');
  // `___` could be split in two ways.
  if (!serverId || !toolName || more.length > 0 || name.includes('___')) return undefined;
  return { toolName, serverId };
}
