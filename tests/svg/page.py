#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Uses a page of mp-flame, mp-page or mp-timeline in headless Chromium as a reader does, with real keys and clicks.

page.py [--without NAME] PROFILE FILE[#FRAGMENT] [STEP]...
page.py --picture PROFILE FILE [STEP]...
page.py --value PROFILE WIDTHxHEIGHT URL EXPRESSION
page.py --serve SOCKET PROFILE

The browser keeps its state in the folder PROFILE; --without is an older one, which does not have NAME. --picture looks at an
SVG, with the steps of check.js. --serve answers those that have its SOCKET in the environment as MP_BROWSER with one browser,
which opens each FILE as a new user would, until a signal or the end of its parent. Steps:

  key:NAME      a key, such as key:ArrowUp; the graph has the focus
  type:TEXT     keys in what has the focus
  search:TEXT   what the search field holds from now on
  press:ID      a click on a button
  click:X,Y     on the canvas, in px; a negative Y counts from its lower edge
  hover:X,Y     the pointer is there
  range:X,Y,X,Y from place to place in the strip of mp-page, with the button pressed
  over:X,Y      the pointer is there, in the strip
  strip:NAME    a key as in key:, perhaps after S- for Shift or A- for Alt; the strip has the focus
  fragment:TEXT the fragment of the URL from now on
  part:N,X,Y,X,Y from place to place in added picture N of mp-page, with the button pressed
  inside:N,JS   the value of an expression in added picture N
  await:N,JS    waits until an expression in added picture N is true
  answer:FILE   appends what a page of mp-page shows to a file, as JSON
  task:N        a click on the name in row N of the tasks, if there is one
  text:ID       the text of an element
  drag:X,Y,X,Y  the pointer is pressed at the first place and released at the second
  wheel:X,Y,D   the wheel turns by D px (up: below 0)
  rows:N        the first N rows of the table
  filter:N      a click on filter N, which removes it
  clipboard     what was copied last
  row:N         a click on the name in row N
  legend        the meanings in the legend
  note          what the page says if it cannot be read
  back          the Back key of the browser
  dark, light   what the reader prefers
  size:W,H      of the window in px; 1000,700 at first
  opened        ms from the beginning to the first picture
  timed:PARTS   ms until the page has drawn what these parts of a fragment say
  colours       the most frequent ones of the canvas
  print         as on paper, until the next step
  shot:FILE     a screenshot, as PNG
  pdf:FILE      the printed page

Prints a line for each step, "STEP => FRAGMENT | FOUND | SELECTED | TOOLTIP", and one for each thing that is wrong: a
message on the console, an element, attribute or reference that has no place in the page, a page that is wider than the
window, texts that overlap. Fails if there is one.
"""
import base64
import json
import os
import signal
import socket
import subprocess
import sys
import time

FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
         '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage', '--host-resolver-rules=MAP * ~NOTFOUND', '--remote-debugging-pipe']
KEYS = {'Enter': '\r', 'Escape': '', 'Tab': ''}

IN_PAGE = r'''
window.mpTest = {
  // Calls `done` with the time after the page has drawn a picture.
  whenDrawn: (done) => requestAnimationFrame(() => setTimeout(() => done(Math.round(performance.now())), 0)),
  opened: () => new MutationObserver((records, observer) => {
    const main = document.getElementById('main');
    if (!main || main.hidden) return;
    observer.disconnect();
    mpTest.whenDrawn((ms) => { mpTest.ms = ms; });
  }).observe(document, { subtree: true, childList: true, attributes: true }),
  // After the page has unpacked its data, or says why it shows nothing; but not for ever.
  ready: (done) => {
    const end = performance.now() + 60000, main = document.getElementById('main');
    const said = () => document.getElementById('note').textContent || [...document.querySelectorAll('p')].some((p) => /^Nothing to /.test(p.textContent));
    const wait = () => main.hidden && !said() && performance.now() < end ? setTimeout(wait, 10) : done();
    wait();
  },
  timed: (fragment) => new Promise((done) => {
    const begin = performance.now();
    addEventListener('hashchange', () => mpTest.whenDrawn((ms) => done(Math.round(ms - begin))), { once: true });
    location.hash = fragment;
  }),
  // After the event that a change of the fragment causes, and after the page has drawn.
  drawn: (done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 30),
  back: (done) => { addEventListener('popstate', done, { once: true }); history.back(); },
  middle(element) {
    element.scrollIntoView({ block: 'nearest' });
    const box = element.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  },
  part(n) {
    const frame = document.querySelectorAll('iframe')[n - 1];
    frame.scrollIntoView({ block: 'start' });
    const box = frame.getBoundingClientRect();
    return [box.left, box.top, box.height];
  },
  // After the added pictures have come, and what they tell has been drawn.
  parts: (done) => {
    const wait = () => document.querySelectorAll('iframe, pre').length < document.querySelectorAll('section').length ? setTimeout(wait, 20) : setTimeout(done, 400);
    wait();
  },
  // After the browser knows where frames are on the screen.
  settled: (done) => document.querySelector('iframe') ? setTimeout(done, 400) : done(),
  place: (element) => element ? mpTest.middle(element) : null,
  canvas() {
    const box = document.getElementById('canvas').getBoundingClientRect();
    return [box.left, box.top, box.height];
  },
  strip() {
    const time = document.getElementById('time');
    time.scrollIntoView({ block: 'nearest' });
    const box = time.getBoundingClientRect();
    return [box.left, box.top, box.height];
  },
  search(text) {
    document.getElementById('search').value = text;
    document.getElementById('search').dispatchEvent(new Event('input', { bubbles: true }));
  },
  said() {
    const text = (id) => document.getElementById(id).textContent, tip = document.getElementById('tip');
    let fragment = location.hash;
    try { fragment = decodeURIComponent(fragment); } catch (e) { fragment += ' (malformed)'; }
    return [fragment, text('found'), text('detail'), tip.hidden ? '' : tip.textContent].join(' | ');
  },
  rows: (n) => [...document.querySelectorAll('#rows tr')].slice(0, n)
    .map((row) => [...row.cells].map((c) => c.title || c.textContent).join(' ')).join(' / '),
  row: (n) => document.querySelectorAll('#rows button')[n - 1],
  colours() {
    const c = document.getElementById('canvas'), copy = document.createElement('canvas').getContext('2d'), n = {};
    copy.canvas.width = c.width;
    copy.canvas.height = c.height;
    if (!c.width || !c.height) return '';
    copy.drawImage(c, 0, 0);
    const p = copy.getImageData(0, 0, c.width, c.height).data;
    for (let i = 0; i < p.length; i += 4) {
      if (!p[i + 3]) continue;
      const k = '#' + [p[i], p[i + 1], p[i + 2]].map((v) => v.toString(16).padStart(2, '0')).join('');
      n[k] = (n[k] || 0) + 1;
    }
    return Object.entries(n).sort((a, b) => b[1] - a[1]).slice(0, 4).map((e) => e[0]).join(' ');
  },
  // No reference to anywhere, no element that a name made, nothing wider than the window, no text on another.
  wrong() {
    const known = 'html head meta title style body header h1 h2 p noscript div input button span canvas footer i script main table ' +
      'thead tbody tr th td label section iframe pre', list = [], page = document.documentElement;
    for (const e of document.querySelectorAll('*')) {
      if (!known.split(' ').includes(e.localName)) list.push('element: ' + e.localName);
      for (const a of e.attributes)
        if (/^on/i.test(a.name) || /href$/i.test(a.name) || (/^src$/i.test(a.name) && !/^blob:/.test(a.value))) list.push('attribute: ' + e.localName + ' ' + a.name);
    }
    for (const s of document.querySelectorAll('style')) if (/@import|url\(/.test(s.textContent)) list.push('reference: style');
    const scripts = [...document.querySelectorAll('script')].filter((s) => s.type !== 'text/plain').length;
    if (scripts !== 1) list.push('scripts: ' + scripts);
    for (const f of document.querySelectorAll('iframe')) if (f.getAttribute('sandbox') !== 'allow-scripts') list.push('frame: no sandbox');
    if (page.scrollWidth > innerWidth) list.push('wider than the window: ' + page.scrollWidth);
    const boxes = [...document.querySelectorAll('h1, header p, #tools > *, #strip, #main > *, #foot > *, #parts > * > *')].filter((e) => e.textContent || e.id)
      .map((e) => [e, e.getBoundingClientRect()]).filter(([, b]) => b.width && b.height);
    boxes.forEach(([e, a], i) => boxes.slice(i + 1).forEach(([f, b]) => {
      if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)
        list.push('overlap: ' + (e.id || e.localName) + ' ' + (f.id || f.localName));
    }));
    return list;
  },
};
mpTest.opened();'''


def wait_until(condition, what):
    """Waits until a function returns true, and returns what that is."""
    end = time.monotonic() + 300
    while not (found := condition()):
        if time.monotonic() > end:
            raise SystemExit('error: waited in vain for ' + what)
        time.sleep(0.02)
    return found


class Browser:
    """Chromium with one page, controlled by its DevTools protocol."""

    def __init__(self, profile, *flags):
        (its_input, self.send_to), (self.read_from, its_output) = os.pipe(), os.pipe()
        self.process = subprocess.Popen(  # the browser reads from 3 and writes to 4
            ['bash', '-c', f'exec chromium-headless-shell "$@" 3<&{its_input} 4>&{its_output}', 'bash',
             *FLAGS, *flags, '--user-data-dir=' + profile, 'about:blank'],
            pass_fds=(its_input, its_output), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(its_input)
        os.close(its_output)
        self.n, self.rest, self.session = 0, b'', None

    def begin(self):
        """An empty page of a user of its own."""
        self.wrong, self.loaded, self.session, self.frames = [], False, None, {}
        self.user = self.call('Target.createBrowserContext')['browserContextId']
        target = self.call('Target.createTarget', url='about:blank', browserContextId=self.user)['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        self.call('Browser.grantPermissions', permissions=['clipboardReadWrite', 'clipboardSanitizedWrite'], browserContextId=self.user)
        for domain in 'Page', 'Runtime', 'Log':
            self.call(domain + '.enable')

    def end(self):
        self.session = None
        self.call('Target.disposeBrowserContext', browserContextId=self.user)

    def close(self):
        """Ends the browser. How it ends says nothing about the page."""
        self.session = None
        try:
            self.call('Browser.close')
        except (SystemExit, OSError):
            pass
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def read(self):
        while b'\0' not in self.rest:
            part = os.read(self.read_from, 1 << 20)
            if not part:
                raise SystemExit('error: the browser ended')
            self.rest += part
        text, self.rest = self.rest.split(b'\0', 1)
        message = json.loads(text)
        method, detail = message.get('method'), message.get('params')
        if method == 'Page.loadEventFired':
            self.loaded = True
        elif method == 'Runtime.consoleAPICalled':
            self.wrong.append('console: ' + ' '.join(str(a.get('value', a.get('description'))) for a in detail['args']))
        elif method == 'Runtime.exceptionThrown':
            self.wrong.append('error: ' + json.dumps(detail['exceptionDetails'].get('exception', {}).get('description')))
        elif method == 'Log.entryAdded':
            self.wrong.append('console: ' + detail['entry']['text'])
        return message

    def call(self, method, **parameters):
        self.n += 1
        message = {'id': self.n, 'method': method, 'params': parameters}
        if self.session:
            message['sessionId'] = self.session
        os.write(self.send_to, json.dumps(message).encode() + b'\0')
        while True:
            answer = self.read()
            if answer.get('id') == self.n:
                if 'error' in answer:
                    raise SystemExit('error: ' + method + ': ' + answer['error']['message'])
                return answer['result']

    def run(self, expression):
        answer = self.call('Runtime.evaluate', expression=expression, awaitPromise=True, returnByValue=True)
        if 'exceptionDetails' in answer:
            raise SystemExit('error: ' + json.dumps(answer['exceptionDetails']))
        return answer['result'].get('value')

    def wait(self, what):
        self.run(f'new Promise((done) => mpTest.{what}(done)).then(() => 1)')

    def open(self, url, before):
        self.call('Page.addScriptToEvaluateOnNewDocument', source=before)
        self.loaded = False
        self.call('Page.navigate', url=url)
        while not self.loaded:
            self.read()
        # the event may have been that of the first, empty page
        while self.run('location.href == "about:blank" || document.readyState != "complete"'):
            time.sleep(0.02)

    def inside(self, n, expression):
        """The value of an expression in added picture N, whose frame is a target of its own."""
        url = self.run(f"document.querySelectorAll('iframe')[{n} - 1].src")
        page, self.session = self.session, None
        if url not in self.frames:
            target = [t['targetId'] for t in self.call('Target.getTargets')['targetInfos'] if t['url'].split('#')[0] == url][0]
            self.frames[url] = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        self.session = self.frames[url]
        value = self.run(expression)
        self.session = page
        return value

    def resize(self, width, height):
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=False)

    def media(self, kind='', scheme='light'):
        self.call('Emulation.setEmulatedMedia', media=kind, features=[{'name': 'prefers-color-scheme', 'value': scheme}])

    def mouse(self, kind, x, y, **more):
        self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse('mousePressed', x, y, button='left', clickCount=1)
        self.mouse('mouseReleased', x, y, button='left', clickCount=1)

    def key(self, name, modifiers=0):
        text = KEYS.get(name, name if len(name) == 1 else '')
        self.call('Input.dispatchKeyEvent', type='keyDown', key=name, text=text, modifiers=modifiers)
        self.call('Input.dispatchKeyEvent', type='keyUp', key=name, modifiers=modifiers)

    def drag(self, begin, end):
        self.mouse('mousePressed', *begin, button='left', clickCount=1)
        self.mouse('mouseMoved', *[(a + b) / 2 for a, b in zip(begin, end)], button='left', buttons=1)
        self.mouse('mouseMoved', *end, button='left', buttons=1)
        self.mouse('mouseReleased', *end, button='left', clickCount=1)


def on_canvas(browser, place, which='canvas'):
    x, y = map(float, place.split(','))
    left, top, height = browser.run(f'mpTest.{which}' + ('' if which.endswith(')') else '()'))
    return left + x, top + y + (height if y < 0 else 0)


def mark(browser, n, begin, end):
    """Drags from place to place in added picture N, and waits until it has told the page.

    Where a frame is on the screen, the browser learns after it has drawn, so the pointer moves until it arrives."""
    (x, y), end = on_canvas(browser, begin, f'part({n})'), on_canvas(browser, end, f'part({n})')
    left, top, _ = browser.run(f'mpTest.part({n})')

    def arrives():
        browser.mouse('mouseMoved', x, y)
        return browser.inside(n, f'self.mpPointer && Math.hypot(mpPointer[0] - {x - left}, mpPointer[1] - {y - top}) < 4')

    browser.inside(n, "addEventListener('mousemove', (e) => { self.mpPointer = [e.clientX, e.clientY]; }, true)")
    wait_until(arrives, 'the pointer')
    browser.run("mpTest.told = false; addEventListener('message', () => { mpTest.told = true; })")
    browser.drag((x, y), end)
    wait_until(lambda: browser.run('mpTest.told'), 'a range')


def take(browser, what, rest):
    """Takes a step. Returns what is to be said after it, None: the usual."""
    if what == 'key':
        browser.run("document.getElementById('view').focus()")
        browser.key(rest)
    elif what == 'type':
        for letter in rest:
            browser.key(letter)
    elif what == 'search':
        browser.run(f'mpTest.search({json.dumps(rest)})')
    elif what == 'press':
        browser.click(*browser.run(f'mpTest.middle(document.getElementById({json.dumps(rest)}))'))
    elif what == 'row':
        browser.click(*browser.run(f'mpTest.middle(mpTest.row({int(rest)}))'))
    elif what == 'filter':
        browser.click(*browser.run(f"mpTest.middle(document.querySelectorAll('#filters button')[{int(rest) - 1}])"))
    elif what == 'clipboard':
        return browser.run('navigator.clipboard.readText()')
    elif what == 'click':
        browser.click(*on_canvas(browser, rest))
    elif what == 'hover':
        browser.mouse('mouseMoved', *on_canvas(browser, rest))
    elif what == 'drag':
        places = rest.split(',')
        begin, end = on_canvas(browser, ','.join(places[:2])), on_canvas(browser, ','.join(places[2:]))
        browser.mouse('mousePressed', *begin, button='left', clickCount=1)
        browser.mouse('mouseMoved', *end, button='left')
        browser.mouse('mouseReleased', *end, button='left', clickCount=1)
    elif what == 'wheel':
        place, _, turn = rest.rpartition(',')
        browser.mouse('mouseWheel', *on_canvas(browser, place), deltaX=0, deltaY=float(turn))
    elif what == 'range':
        *_, x, y = rest.split(',')
        browser.run('mpTest.strip()')
        browser.wait('settled')
        browser.drag(on_canvas(browser, ','.join(rest.split(',')[:2]), 'strip'), on_canvas(browser, x + ',' + y, 'strip'))
    elif what == 'part':
        n, *places = rest.split(',')
        browser.wait('parts')
        mark(browser, n, ','.join(places[:2]), ','.join(places[2:]))
        browser.wait('parts')
    elif what in ('inside', 'await'):
        n, _, expression = rest.partition(',')
        browser.wait('parts')
        browser.run(f'mpTest.part({n})')  # what is not visible has slow timers
        browser.wait('parts')
        if what == 'inside':
            return str(browser.inside(n, expression))
        wait_until(lambda: browser.inside(n, expression), expression)
    elif what == 'over':
        browser.mouse('mouseMoved', *on_canvas(browser, rest, 'strip'))
    elif what == 'strip':
        browser.run("document.getElementById('strip').focus()")
        browser.key(rest.split('-')[-1], {'A': 1, 'S': 8}.get(rest.split('-')[0], 0))
    elif what == 'fragment':
        browser.run(f'location.hash = {json.dumps(rest)}')
    elif what == 'answer':
        with open(rest, 'a') as file:
            file.write(browser.run('JSON.stringify(page.answer())') + '\n')
        return ''
    elif what == 'task':
        place = browser.run(f"mpTest.place(document.querySelectorAll('#tasks-rows button')[{int(rest) - 1}])")
        if place:
            browser.click(*place)
    elif what == 'text':
        return browser.run(f'document.getElementById({json.dumps(rest)}).textContent')
    elif what == 'rows':
        return browser.run(f'mpTest.rows({int(rest)})')
    elif what == 'note':
        return browser.run("document.getElementById('note').textContent")
    elif what == 'legend':
        return browser.run("[...document.querySelectorAll('#legend span')].map((e) => e.textContent).join(' ')")
    elif what == 'back':
        browser.wait('back')
    elif what in ('dark', 'light'):
        browser.media(scheme=what)
    elif what == 'size':
        browser.resize(*map(int, rest.split(',')))
    elif what == 'print':
        browser.media(kind='print')
    elif what == 'opened':
        return str(browser.run('mpTest.ms')) + ' ms'
    elif what == 'timed':
        return str(browser.run(f'mpTest.timed({json.dumps(rest)})')) + ' ms'
    elif what == 'colours':
        return browser.run('mpTest.colours()')
    elif what in ('shot', 'pdf'):
        data = (browser.call('Page.captureScreenshot', format='png') if what == 'shot' else
                browser.call('Page.printToPDF', printBackground=True))['data']
        with open(rest, 'wb') as file:
            file.write(base64.b64decode(data))
        return ''
    else:
        raise SystemExit('error: unknown step ' + what)
    return None


def use(browser, page, steps, before):
    """Opens a page and takes the steps. Yields what is to be said of each, then what is wrong."""
    browser.resize(1000, 700)
    browser.media()
    browser.open('file://' + page, before + IN_PAGE)
    browser.wait('ready')
    browser.wait('drawn')
    wrong = []
    for step in steps:
        what, _, rest = step.partition(':')
        said = take(browser, what, rest)
        browser.wait('drawn')
        yield ' '.join(f'{step} => {browser.run("mpTest.said()") if said is None else said}'.split())
        wrong += browser.run('mpTest.wrong()')
    yield from dict.fromkeys(wrong + browser.run('mpTest.wrong()') + browser.wrong)
    if wrong or browser.wrong:
        raise SystemExit('')


def look(browser, picture, steps):
    """Opens an SVG and takes the steps. Yields what check.js says."""
    browser.resize(2200, 3000)
    browser.open('file://' + picture, '')
    with open(os.path.dirname(os.path.abspath(__file__)) + '/check.js', encoding='utf-8') as file:
        browser.run(file.read())
    yield from browser.run(f'check({json.dumps(steps)})')
    yield from browser.wrong
    if browser.wrong:
        raise SystemExit('')


def value(profile, size, url, expression):
    """Prints the value of an expression in a page that may read files, as soon as it is not false. Returns the status."""
    browser = Browser(profile, '--allow-file-access-from-files')
    try:
        browser.begin()
        browser.resize(*map(int, size.split('x')))
        browser.open(url, '')
        print(wait_until(lambda: browser.run(expression), expression))
        print('\n'.join(browser.wrong), file=sys.stderr)
        return bool(browser.wrong)
    finally:
        browser.close()


def answer(browser, arguments):
    """What is to be printed for these arguments, and the status."""
    option, value, said, status = '', '', [], 0
    if arguments[0].startswith('--'):
        option, *arguments = arguments
    if option == '--without':
        value, *arguments = arguments
    _, page, *steps = arguments
    browser.begin()
    try:
        for line in look(browser, page, steps) if option == '--picture' else use(browser, page, steps, f'delete window.{value};' if value else ''):
            said.append(line)
    except SystemExit as e:
        said += [str(e)] if str(e) else []
        status = 1
    browser.end()
    return ''.join(line + '\n' for line in said), status


def serve(path, profile):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    parent, browser = os.getppid(), Browser(profile)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path + '.new')
    listener.listen()
    os.rename(path + '.new', path)
    listener.settimeout(5)
    try:
        while os.getppid() == parent:
            try:
                client = listener.accept()[0]
            except TimeoutError:
                continue
            with client, client.makefile('rw', encoding='utf-8') as file:
                folder, arguments = json.loads(file.readline())
                os.chdir(folder)
                file.write(json.dumps(answer(browser, arguments)))
    finally:
        browser.close()


def main():
    if sys.argv[1] == '--serve':
        return serve(*sys.argv[2:])
    if sys.argv[1] == '--value':
        return value(*sys.argv[2:])
    if 'MP_BROWSER' in os.environ:
        with socket.socket(socket.AF_UNIX) as server:
            server.connect(os.environ['MP_BROWSER'])
            with server.makefile('rw', encoding='utf-8') as file:
                file.write(json.dumps([os.getcwd(), sys.argv[1:]]) + '\n')
                file.flush()
                said, status = json.loads(file.read() or '["error: the browser ended\\n", 1]')
    else:
        browser = Browser(sys.argv[1 + 2 * (sys.argv[1] == '--without') + (sys.argv[1] == '--picture')])
        try:
            said, status = answer(browser, sys.argv[1:])
        finally:
            browser.close()
    print(said, end='')
    return status


sys.exit(main())
