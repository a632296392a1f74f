import type { LanguageTexts } from './LanguageTexts';

export const french: LanguageTexts = {
  direction: 'ltr',
  labels: {
    title: 'Facture',
    from: 'Émetteur',
    billTo: 'Facturé à',
    invoiceNumber: 'Numéro de facture',
    issueDate: 'Date d’émission',
    dueDate: 'Date d’échéance',
    purchaseOrder: 'Bon de commande',
    buyerReference: 'Votre référence',
    servicePeriod: 'Période de prestation',
    taxId: 'Identifiant fiscal',
    description: 'Désignation',
    quantity: 'Quantité',
    unitPrice: 'Prix unitaire',
    amount: 'Montant',
    subtotal: 'Sous-total',
    tax: 'Taxe',
    total: 'Total',
    amountDue: 'Montant à payer',
    amountPaid: 'Montant payé',
    credited: 'Avoirs',
    notes: 'Remarques',
    paymentTerms: 'Conditions de paiement',
    paymentInstructions: 'Instructions de paiement',
    payOnline: 'Payer en ligne',
    payableOnline: 'Montant à payer en ligne',
    scanToPay: 'Scanner pour payer',
    page: 'Page {page} sur {pages}',
    colon: '\u00a0: ',
    stamps: { draft: 'Brouillon', paid: 'Payée', overdue: 'En retard', cancelled: 'Annulée' },
  },
  email: {
    subject: 'Facture {number} de {sender}',
    greeting: 'Bonjour {client},',
    attached: 'Veuillez trouver ci-joint la facture {number} de {sender}.',
    paid: 'Elle est déjà réglée, merci.',
    overdue: 'Sauf erreur de notre part, sa date d’échéance est dépassée.',
    moreItems: 'et {count} autres',
    viewInvoice: 'Voir la facture',
    reminder: {
      subject: 'Rappel : facture {number} de {sender}',
      isDue:
        'Nous nous permettons de vous rappeler que la facture {number} de {sender} arrive à échéance le {dueDate}.',
      wasDue:
        'Nous nous permettons de vous rappeler que la facture {number} de {sender} était à échéance le {dueDate}.',
    },
    orOpen: 'Ou ouvrez cette adresse\u00a0:',
    closing: 'Cordialement,',
  },
  page: {
    downloadPdf: 'Télécharger le PDF',
    returned: 'Si vous venez de payer, cette page l’indiquera dans un instant.',
    preparing: 'La page de paiement est en préparation. Cela prend quelques secondes.',
    notPrepared:
      'La page de paiement ne peut pas être ouverte pour le moment. Veuillez réessayer dans quelques minutes.',
    onItsWay: 'Un paiement est en cours. Vous n’avez rien d’autre à faire.',
    notFound:
      'Cette page n’existe pas ou son adresse n’est plus valable. Veuillez en demander une nouvelle à l’expéditeur.',
    unavailable: 'Cette page ne peut pas être affichée pour le moment. Veuillez réessayer dans quelques minutes.',
  },
  creditNote: {
    labels: {
      title: 'Avoir',
      invoiceNumber: 'Numéro d’avoir',
      issueDate: 'Date d’émission',
    },
    corrects: 'Rectifie la facture',
    reason: 'Motif',
    amount: 'Montant crédité',
    email: {
      subject: 'Avoir {number} de {sender}',
      attached: 'Veuillez trouver ci-joint l’avoir {number} de {sender}, qui rectifie la facture {invoice}.',
    },
  },
};
