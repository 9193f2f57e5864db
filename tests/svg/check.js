// SPDX-License-Identifier: GPL-2.0-only
// Looks at an SVG in the browser that shows it: check(STEPS) gives a line for each thing that is wrong, then one for each step
// (see check.bash), and the number of texts.
'use strict';
var lines = [];
var say = (...words) => lines.push(words.join(' ').replace(/\s+/g, ' '));
var wait = (ms) => new Promise((done) => setTimeout(done, ms));

function visible(t) {
  if (!t.textContent.trim()) return false;
  for (let e = t; e && e.nodeType === 1; e = e.parentNode) {
    const style = t.ownerDocument.defaultView.getComputedStyle(e);
    if (style.display === 'none' || style.opacity === '0') return false;
  }
  return t.ownerDocument.defaultView.getComputedStyle(t).visibility === 'visible';
}

// What is shown of a text: without its <title>.
function shown(t) {
  return [...t.childNodes].filter((n) => n.nodeName !== 'title').map((n) => n.textContent).join('');
}

function checkTexts(svg, when) {
  const paper = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll('text')].filter(visible).filter((t) => !t.closest('[data-over]'));
  const boxes = texts.map((t) => t.getBoundingClientRect());
  for (let i = 0; i < texts.length; i++) {
    const a = boxes[i];
    if (a.left < paper.left - 1 || a.right > paper.right + 1 || a.top < paper.top - 1 || a.bottom > paper.bottom + 1)
      say('outside' + when + ':', shown(texts[i]));
    for (let k = i + 1; k < texts.length; k++) {
      const b = boxes[k];
      if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)
        say('overlap' + when + ':', shown(texts[i]), '|', shown(texts[k]));
    }
  }
  return texts.length;
}

// Nothing but what pictures are made of; no reference to anywhere.
function checkElements(svg) {
  const known = 'svg title desc style rect path g text tspan line polyline polygon circle script defs pattern clipPath'.split(' ');
  for (const e of svg.querySelectorAll('*')) {
    if (!known.includes(e.tagName)) say('element:', e.tagName);
    for (const a of e.attributes) {
      if (/^on/i.test(a.name) || /href$/i.test(a.name) || /^src$/i.test(a.name)) say('attribute:', e.tagName, a.name);
      if (/url\((?!#)/.test(a.value)) say('reference:', a.value);
    }
  }
  for (const s of svg.querySelectorAll('style')) if (/@import|url\(/.test(s.textContent)) say('reference: style');
  if (svg.querySelectorAll('script').length > 1) say('scripts:', svg.querySelectorAll('script').length);
}

function live(svg) {
  return [...svg.querySelectorAll('[aria-live]')].map((e) => e.textContent).join(' / ');
}

function pointer(svg, type, x, y, buttons) {
  const target = svg.ownerDocument.elementFromPoint(x, y);
  if (!target) return say('nothing at', x, y);
  target.dispatchEvent(new PointerEvent(type, { bubbles: true, cancelable: true, clientX: x, clientY: y, pointerId: 1, buttons }));
}

// hover:X,Y drag:X,Y,X,Y (px of the picture) key:NAME (S-NAME with shift); focus is on the first that can have it.
async function run(step, svg) {
  const [what, rest] = step.split(':'), at = rest.split(',').map(Number);
  if (what === 'hover') {
    pointer(svg, 'pointermove', at[0], at[1], 0);
  } else if (what === 'drag') {
    pointer(svg, 'pointerdown', at[0], at[1], 1);
    pointer(svg, 'pointermove', (at[0] + at[2]) / 2, (at[1] + at[3]) / 2, 1);
    pointer(svg, 'pointermove', at[2], at[3], 1);
    pointer(svg, 'pointerup', at[2], at[3], 0);
  } else if (what === 'key') {
    const focus = svg.querySelector('[tabindex="0"]');
    if (!focus) return say('no focus');
    focus.focus();
    focus.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, key: rest.replace(/^S-/, ''), shiftKey: /^S-/.test(rest) }));
  }
  await wait(20);
  say(step, '=>', live(svg));
  checkTexts(svg, ' after ' + what);
}

async function check(steps) {
  const svg = document.documentElement;
  window.onerror = (message) => say('error:', message);
  try {
    if (svg.tagName !== 'svg') say('not an SVG document:', svg.tagName);
    if (!svg.querySelector('title') || !svg.querySelector('desc')) say('no title or description');
    checkElements(svg);
    const n = checkTexts(svg, '');
    for (const step of steps) await run(step, svg);
    say('texts', n);
  } catch (e) {
    say('error:', e.message);
  }
  return lines;
}
