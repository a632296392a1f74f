import { Client } from '../clients';
import { Company, keepLogo } from '../companies';
import type { UnitOfWork } from '../engine/db';
import type { Party } from '../documents';

/** Sender and client as an invoice shows them; frozen (as JSON) on the invoice once it leaves `draft`. */
export interface Parties {
  sender: Party;
  client: Party;
  locale: string;
  logoKey: string | null;
  /** Absent in parties that earlier versions have frozen. */
  brandColor?: string | null;
  paymentInstructions?: string | null;
}

type PartyRecord = Party & { locale: string | null };

export function partiesOf(
  company: PartyRecord & Pick<Parties, 'logoKey' | 'brandColor' | 'paymentInstructions'>,
  client: PartyRecord,
): Parties {
  return {
    sender: partyOf(company),
    client: partyOf(client),
    locale: client.locale ?? company.locale ?? 'en',
    logoKey: company.logoKey,
    brandColor: company.brandColor,
    paymentInstructions: company.paymentInstructions,
  };
}

/** Returns the current parties as JSON, to be stored as `frozenParties`. */
export async function freezeParties(uow: UnitOfWork, clientId: number): Promise<string> {
  const { companyId, transaction } = uow;
  const company = await Company.findOne({ where: { id: companyId }, transaction, rejectOnEmpty: true });
  const client = await Client.findOne({ where: { companyId, id: clientId }, transaction, rejectOnEmpty: true });
  const parties = partiesOf(company, client);
  await keepLogo(uow, parties.logoKey);
  return JSON.stringify(parties);
}

function partyOf({ name, email, phone, address, taxId }: Party): Party {
  return { name, email, phone, address, taxId };
}
