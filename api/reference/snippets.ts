import type { ExampleRequest } from './ExampleRequest';

/** An example in one language. */
export interface Snippet {
  language: 'curl' | 'JavaScript' | 'Python';
  code: string;
}

/** Returns the request for curl, for the JavaScript client and for Python. The key is in `API_TOKEN`. */
export function snippetsOf(request: ExampleRequest, serverUrl: string): Snippet[] {
  return [
    { language: 'curl', code: curl(request, serverUrl) },
    { language: 'JavaScript', code: javaScript(request, serverUrl) },
    { language: 'Python', code: python(request, serverUrl) },
  ];
}

function curl({ method, path, query, body, file, isPublic, isDownload }: ExampleRequest, serverUrl: string): string {
  const search = new URLSearchParams(query as Record<string, string>).toString();
  const hasDefaultMethod = method === (body === null && file === null ? 'GET' : 'POST');
  const lines = [
    `curl${isDownload ? ' -OJ' : ''}${hasDefaultMethod ? '' : ` -X ${method}`} ${inShell(serverUrl + path + (search && `?${search}`))}`,
    ...(isPublic ? [] : ['-H "Authorization: Bearer $API_TOKEN"']),
    ...(body === null ? [] : ["-H 'Content-Type: application/json'", `-d ${inShell(JSON.stringify(body, null, 2))}`]),
    ...(file === null
      ? []
      : [...Object.entries(file.fields).map((field) => `-F ${field.join('=')}`), `-F ${file.field}=@${file.name}`]),
  ];
  return lines.join(' \\\n  ');
}

function javaScript(request: ExampleRequest, serverUrl: string): string {
  const { operationId, pathParameters, query, body, file, isDownload } = request;
  const call = { ...given('path', pathParameters), ...given('query', query), ...given('body', body ?? {}) };
  const argument =
    file === null
      ? literal(call, inJavaScript)
      : `{\n  body: { ${formFields(file, inJavaScript)}${file.field}: await openAsBlob(${inJavaScript.text(file.name)}) },\n}`;
  const imports = [
    ...(file === null ? [] : ["import { openAsBlob } from 'node:fs';"]),
    ...(isDownload ? ["import { writeFile } from 'node:fs/promises';"] : []),
    "import { InvoicingClient } from 'invoicing-client';",
  ];
  return [
    ...imports,
    '',
    `const client = new InvoicingClient({ baseUrl: '${serverUrl}', apiKey: process.env.API_TOKEN });`,
    `const ${isDownload ? 'file' : 'result'} = await client.${operationId}(${argument === '{}' ? '' : argument});`,
    isDownload ? `await writeFile('${fileName(operationId)}', file.stream());` : 'console.log(result);',
  ].join('\n');
}

function python(request: ExampleRequest, serverUrl: string): string {
  const { operationId, method, path, query, body, file, isPublic, isDownload } = request;
  const lines = [
    `    "${serverUrl}${path}",`,
    ...(isPublic ? [] : [`    headers={"Authorization": f"Bearer {os.environ['API_TOKEN']}"},`]),
    ...(Object.keys(query).length === 0 ? [] : [`    params=${literal(query, inPython, '    ')},`]),
    ...(body === null ? [] : [`    json=${literal(body, inPython, '    ')},`]),
    ...(file === null || Object.keys(file.fields).length === 0
      ? []
      : [`    data=${literal(file.fields, inPython, '    ')},`]),
    ...(file === null ? [] : [`    files={"${file.field}": open("${file.name}", "rb")},`]),
  ];
  return [
    ...(isPublic ? [] : ['import os', '']),
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    ...lines,
    ')',
    'response.raise_for_status()',
    isDownload ? `open("${fileName(operationId)}", "wb").write(response.content)` : 'print(response.json())',
  ].join('\n');
}

/** `downloadInvoicePdf`: `invoice.pdf`; the files of other operations are pictures, or of several kinds. */
function fileName(operationId: string): string {
  const [name = '', kind] = operationId.replace('download', '').split(/(?=Pdf$)/);
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}${kind === undefined ? '' : '.pdf'}`;
}

/** How a language writes the values and keys of JSON. */
interface Language {
  word(value: boolean | null): string;
  text(value: string): string;
  key(name: string): string;
  indent: string;
}

const inJavaScript: Language = {
  word: String,
  text: (value) => (/^[\w .:@+*/-]*$/.test(value) ? `'${value}'` : JSON.stringify(value)),
  key: (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)),
  indent: '  ',
};
const inPython: Language = {
  word: (value) => ({ true: 'True', false: 'False', null: 'None' })[String(value)] ?? '',
  text: JSON.stringify,
  key: JSON.stringify,
  indent: '    ',
};

/** Writes a value of JSON in a language. A short list is one line. */
function literal(value: unknown, language: Language, indent = ''): string {
  const deeper = indent + language.indent;
  if (typeof value === 'boolean' || value === null) return language.word(value);
  if (typeof value === 'string') return language.text(value);
  if (typeof value !== 'object') return JSON.stringify(value);
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((item) => literal(item, language, deeper))
    : Object.entries(value).map(([name, item]) => `${language.key(name)}: ${literal(item, language, deeper)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (parts.length === 0 || (isList && parts.every((part) => !part.includes('\n')))) {
    return `${open}${parts.join(', ')}${close}`;
  }
  return `${open}\n${parts.map((part) => `${deeper}${part},\n`).join('')}${indent}${close}`;
}

const formFields = ({ fields }: NonNullable<ExampleRequest['file']>, language: Language): string =>
  Object.entries(fields)
    .map(([name, value]) => `${language.key(name)}: ${language.text(value)}, `)
    .join('');
const given = (name: string, values: object): object => (Object.keys(values).length === 0 ? {} : { [name]: values });

/** Quotes a text for a POSIX shell. */
const inShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
