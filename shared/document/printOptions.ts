/** How Chromium prints the page: size and margins come from the style sheet; tags make the PDF readable to screen readers. */
export const printOptions = {
  printBackground: true,
  preferCSSPageSize: true,
  generateTaggedPDF: true,
  generateDocumentOutline: false,
} as const;
