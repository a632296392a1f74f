'use strict';
{
  const find = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  /** Makes an element. Strings become text nodes, so nothing of a response is parsed as HTML. */
  const make = (name, properties, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  // The key is kept in this tab until it is closed, and never in a URL.
  const keyField = find('#api-key');
  const KEY = 'invoicing.apiKey';
  keyField.value = sessionStorage.getItem(KEY) ?? '';
  keyField.addEventListener('input', () => sessionStorage.setItem(KEY, keyField.value.trim()));

  // The filter.
  const menu = find('#menu');
  const filter = find('#filter');
  const entries = all('.entry').map((element) => ({
    element,
    text: element.dataset.find,
    link: element.id === '' ? null : find(`a[href="#${CSS.escape(element.id)}"]`, menu)?.parentElement,
  }));
  const hideEmpty = (groups, of) => {
    for (const group of groups) group.hidden = !all(of, group).some(({ hidden }) => !hidden);
  };
  const applyFilter = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { element, text, link } of entries) {
      element.hidden = !words.every((word) => text.includes(word));
      if (link) link.hidden = element.hidden;
      if (!element.hidden && element.matches('.operation')) count += 1;
    }
    hideEmpty(all('.group'), '.entry');
    hideEmpty(
      all('section', menu).filter((group) => find('li', group)),
      'li',
    );
    find('#found').textContent = words.length === 0 ? '' : `${count} of ${all('.operation').length} operations`;
  };
  filter.addEventListener('input', applyFilter);
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target.closest('input, textarea, select')) return;
    event.preventDefault();
    if (getComputedStyle(menu).display === 'none') menu.showPopover();
    filter.focus();
  });
  menu.addEventListener('click', (event) => {
    if (event.target.closest('a') && menu.matches(':popover-open')) menu.hidePopover();
  });

  // The menu highlights the operation in view.
  const seen = new IntersectionObserver(
    (changes) => {
      for (const { isIntersecting, target } of changes) {
        if (!isIntersecting) continue;
        find('[aria-current]', menu)?.removeAttribute('aria-current');
        const link = find(`li a[href="#${CSS.escape(target.id)}"]`, menu);
        link?.setAttribute('aria-current', 'true');
        if (link && getComputedStyle(menu).position === 'sticky') {
          const { offsetTop } = link;
          const isShown = offsetTop > menu.scrollTop && offsetTop < menu.scrollTop + menu.clientHeight - 40;
          if (!isShown) menu.scrollTop = offsetTop - menu.clientHeight / 2;
        }
      }
    },
    { rootMargin: '-20% 0px -75% 0px' },
  );
  for (const { element } of entries) if (element.id !== '') seen.observe(element);

  // The browser lays out what is in view first, and the rest when it is idle, so that nothing moves later.
  const AT_ONCE = 3;
  const whenIdle = window.requestIdleCallback ?? ((callback) => setTimeout(callback, 50));
  const layOut = (from) => {
    for (const { element } of entries.slice(from, from + AT_ONCE)) element.classList.add('laid-out');
    if (from + AT_ONCE < entries.length) whenIdle(() => layOut(from + AT_ONCE));
  };
  whenIdle(() => layOut(0));

  // All examples are shown in one language.
  const LANGUAGE = 'invoicing.language';
  const choose = (language) => {
    for (const radio of all(`.bar input[value="${CSS.escape(language)}"]`)) radio.checked = true;
  };
  const chosen = sessionStorage.getItem(LANGUAGE);
  if (chosen !== null) choose(chosen);
  document.addEventListener('change', ({ target }) => {
    if (!target.matches('.bar input')) return;
    sessionStorage.setItem(LANGUAGE, target.value);
    choose(target.value);
  });
  document.addEventListener('click', async ({ target }) => {
    if (!target.matches('.copy')) return;
    const example = target.closest('.example');
    const language = find('input:checked', example).value;
    const { textContent } = find(`pre[data-language="${language}"]`, example);
    const isCopied = await navigator.clipboard?.writeText(textContent).then(
      () => true,
      () => false,
    );
    target.textContent = isCopied ? 'Copied' : 'Not allowed';
    setTimeout(() => (target.textContent = 'Copy'), 2000);
  });

  // The fields of an object are copied to the place where it is opened.
  document.addEventListener(
    'toggle',
    ({ target }) => {
      if (!target.open || !target.matches?.('.object') || find('.fields', target)) return;
      const fields = find(`#object-${CSS.escape(target.dataset.object)} > .fields`);
      if (fields) target.append(fields.cloneNode(true));
    },
    true,
  );

  // Sends a request from the page.
  const requestOf = (form) => {
    const { method, path } = form.dataset;
    const query = new URLSearchParams();
    const headers = {};
    let filled = path;
    let body;
    if (form.dataset.public === undefined) headers.Authorization = `Bearer ${keyField.value.trim()}`;
    for (const { name, value, dataset, files } of form.elements) {
      if (dataset.place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value));
      if (dataset.place === 'query' && value !== '') query.append(name, value);
      if (dataset.place === 'header' && value !== '') headers[name] = value;
      if (dataset.place === 'body' && value.trim() !== '') {
        body = value;
        headers['Content-Type'] = 'application/json';
      }
      if (dataset.place === 'form' || (dataset.place === 'file' && files.length > 0)) {
        body ??= new FormData();
        body.append(name, files?.[0] ?? value);
      }
    }
    // Relative to this page, because a proxy may serve it under any path.
    const url = new URL(`.${filled}`, document.baseURI);
    url.search = query.toString();
    return [url, { method, headers, body, credentials: 'omit', cache: 'no-store', redirect: 'error' }];
  };

  const MAX_SHOWN = 200_000;
  const shorten = (text) => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}\n…` : text);
  const indented = (text) => {
    try {
      return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      return text;
    }
  };
  const sizeOf = (bytes) => (bytes < 1024 ? `${bytes} bytes` : `${(bytes / 1024).toFixed(1)} kB`);
  const fileNameOf = (headers) =>
    /filename="([^"]+)"/.exec(headers.get('Content-Disposition') ?? '')?.[1] ?? 'response';

  const bodyOf = async (response, form) => {
    const type = response.headers.get('Content-Type') ?? '';
    const content = await response.blob();
    if (content.size === 0) return [];
    const isJson = /json/.test(type);
    const parts = [];
    if (!isJson) {
      URL.revokeObjectURL(form.dataset.object ?? '');
      form.dataset.object = URL.createObjectURL(content);
      const name = fileNameOf(response.headers);
      const link = make('a', { href: form.dataset.object, download: name }, `Save ${name}`);
      parts.push(make('p', {}, link, ` (${sizeOf(content.size)})`));
    }
    if (isJson || /^text\//.test(type)) {
      const text = await content.text();
      parts.push(make('pre', { tabIndex: 0 }, shorten(isJson ? indented(text) : text)));
    }
    return parts;
  };

  const resultOf = async (form) => {
    if (form.dataset.public === undefined && keyField.value.trim() === '') {
      // The header is visible already; the message below has to stay visible, too.
      keyField.focus({ preventScroll: true });
      return [make('p', {}, make('span', { className: 'status s4' }, 'Not sent.'), ' Enter an API key above first.')];
    }
    const begun = performance.now();
    const response = await fetch(...requestOf(form));
    const took = Math.round(performance.now() - begun);
    const status = make('span', { className: `status s${String(response.status)[0]}` });
    status.append(`${response.status} ${response.statusText}`);
    const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    return [
      make('p', {}, status, ' ', make('span', { className: 'soft' }, `${took} ms`)),
      make('details', {}, make('summary', {}, 'Headers'), make('pre', { tabIndex: 0 }, headers)),
      ...(await bodyOf(response, form)),
    ];
  };

  document.addEventListener('submit', async (event) => {
    event.preventDefault();
    const form = event.target;
    const [button, result] = [find('.send', form), find('.result', form)];
    button.disabled = true;
    result.replaceChildren('Sending …');
    try {
      result.replaceChildren(...(await resultOf(form)));
    } catch (error) {
      result.replaceChildren(make('p', {}, `No response: ${error.message}`));
    } finally {
      button.disabled = false;
    }
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.target.closest('form')?.requestSubmit();
  });
}
