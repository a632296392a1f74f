import type { LanguageTexts } from './LanguageTexts';

/** Words that read well on both sides of the Atlantic. */
export const portuguese: LanguageTexts = {
  direction: 'ltr',
  labels: {
    title: 'Fatura',
    from: 'Emitente',
    billTo: 'Faturado a',
    invoiceNumber: 'Número da fatura',
    issueDate: 'Data de emissão',
    dueDate: 'Data de vencimento',
    taxId: 'Identificação fiscal',
    description: 'Descrição',
    quantity: 'Quantidade',
    unitPrice: 'Preço unitário',
    amount: 'Valor',
    subtotal: 'Subtotal',
    tax: 'Imposto',
    total: 'Total',
    amountDue: 'Valor a pagar',
    amountPaid: 'Valor pago',
    notes: 'Observações',
    payOnline: 'Pagar online',
    scanToPay: 'Leia o código para pagar',
    page: 'Página {page} de {pages}',
    colon: ': ',
    stamps: { draft: 'Rascunho', paid: 'Paga', overdue: 'Vencida', cancelled: 'Cancelada' },
  },
  email: {
    subject: 'Fatura {number} de {sender}',
    greeting: 'Olá, {client},',
    attached: 'Segue em anexo a fatura {number} de {sender}.',
    paid: 'Já foi paga, agradecemos.',
    overdue: 'De acordo com as nossas informações, a data de vencimento já passou.',
    orOpen: 'Ou abra este endereço:',
    closing: 'Atenciosamente,',
  },
};
