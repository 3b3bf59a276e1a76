// The sections of the settings, in the order they are listed.
import type { IconName } from '../components/icons';

export interface Section {
  name: 'about' | 'devices' | 'tokens' | 'trust' | 'notifications' | 'device';
  href: string;
  icon: IconName;
  /** Whether the server shows it to admins only. */
  admins: boolean;
}

export const SECTIONS: readonly Section[] = [
  { name: 'about', href: '/settings', icon: 'help', admins: false },
  { name: 'devices', href: '/settings/devices', icon: 'phone', admins: true },
  { name: 'tokens', href: '/settings/tokens', icon: 'key', admins: true },
  { name: 'trust', href: '/settings/trust', icon: 'shield', admins: true },
  { name: 'notifications', href: '/settings/notifications', icon: 'bell', admins: false },
  { name: 'device', href: '/settings/device', icon: 'settings', admins: false },
];

/** The section that the second part of the URL's path names. */
export function sectionOf(named: string | undefined): Section | undefined {
  return SECTIONS.find((section) => section.href === (named === undefined ? '/settings' : `/settings/${named}`));
}
