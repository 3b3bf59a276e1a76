import { mount } from 'svelte';
import App from './App.svelte';
import { clock } from './lib/serverClock.svelte';
import { prefs } from './lib/prefs.svelte';
import { router } from './lib/router.svelte';
import { session } from './lib/session.svelte';
import './style/tokens.css';
import './style/base.css';
import './style/controls.css';

prefs.apply();
prefs.follow();
router.follow();
session.follow();
clock.start();
void session.start();
mount(App, { target: document.getElementById('page')! });
