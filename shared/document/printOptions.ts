/** How Chromium prints the page: size and margins come from the style sheet. Tags would double the time of each PDF. */
export const printOptions = {
  printBackground: true,
  preferCSSPageSize: true,
  generateTaggedPDF: false,
  generateDocumentOutline: false,
} as const;
