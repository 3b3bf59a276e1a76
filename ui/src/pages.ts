// Pages in the order of the navigation.
import type { Component } from 'svelte';
import type { PageRoute } from './lib/router.svelte';
import type { IconName } from './components/icons';

export interface PageEntry {
  name: Exclude<PageRoute['page'], 'nowhere'>;
  href: string;
  icon: IconName;
  /** Loads the page when it is first opened. */
  open: () => Promise<{ default: Component }>;
}

export const PAGES: readonly PageEntry[] = [
  { name: 'inbox', href: '/', icon: 'inbox', open: () => import('./inbox/Inbox.svelte') },
  { name: 'rules', href: '/rules', icon: 'rules', open: () => import('./rules/Rules.svelte') },
  { name: 'audit', href: '/audit', icon: 'audit', open: () => import('./audit/Audit.svelte') },
  { name: 'settings', href: '/settings', icon: 'settings', open: () => import('./settings/Settings.svelte') },
];
