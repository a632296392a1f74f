import type { LanguageTexts } from './LanguageTexts';

export const korean: LanguageTexts = {
  direction: 'ltr',
  labels: {
    title: '청구서',
    from: '공급자',
    billTo: '공급받는 자',
    invoiceNumber: '청구서 번호',
    issueDate: '발행일',
    dueDate: '지급 기한',
    taxId: '사업자등록번호',
    description: '품목',
    quantity: '수량',
    unitPrice: '단가',
    amount: '금액',
    subtotal: '소계',
    tax: '세액',
    total: '합계',
    amountDue: '결제하실 금액',
    amountPaid: '결제하신 금액',
    notes: '비고',
    payOnline: '온라인 결제',
    scanToPay: '스캔하여 결제',
    page: '{page} / {pages}쪽',
    colon: ': ',
    stamps: { draft: '초안', paid: '결제 완료', overdue: '기한 경과', cancelled: '취소됨' },
  },
  email: {
    subject: '{sender} 청구서 {number}',
    greeting: '{client} 귀하',
    // Words after the name that fit any name: a particle would depend on its last letter.
    attached: '{sender}에서 발행한 청구서({number})를 첨부합니다.',
    paid: '이미 결제가 완료되었습니다. 감사합니다.',
    overdue: '저희 기록에 따르면 지급 기한이 지났습니다.',
    orOpen: '또는 다음 주소를 열어 주세요:',
    closing: '감사합니다.',
  },
};
