import { fillTemplate } from '../../../operator/board/fillTemplate';

test('a value › is escaped wherever the page names it', () => {
  const page = '<base href="<%= basePath %>" /><title><%=title%></title>';
  expect(fillTemplate(page, { basePath: '/board/', title: `"><script>alert('&')</script>` })).toBe(
    '<base href="/board/" /><title>&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;</title>',
  );
});

test('the JSON of the page › stays as it is', () => {
  const uiConfig = '{"boardTitle":"A & \\u003cB\\u003e $& $1"}';
  expect(fillTemplate('<script><%- uiConfig %></script>', { uiConfig })).toBe(`<script>${uiConfig}</script>`);
});

test.each([
  ['<%- title %>', 'another value that is not escaped'],
  ['<%- uiConfig %>', 'JSON that could end its element'],
  ['<%= missing %>', 'a value that is not there'],
  ['<%= constructor %>', 'a value that every object has'],
  ['<% if (title) { %>', 'a statement'],
  ['<%= title.length %>', 'an expression'],
])('%s › an error: %s', (template) => {
  const values = { title: 'Queues', uiConfig: '"</script>"' };
  expect(() => fillTemplate(template, values)).toThrow(/^the page of bull-board has an unknown "<%/);
});
