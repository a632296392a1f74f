/** A client as one statement read it; moments as MySQL writes them (UTC), `softDelete` 0 or 1. */
export interface ClientRecord {
  id: number;
  companyId: number;
  name: string;
  email: string | null;
  phone: string | null;
  address: string | null;
  taxId: string | null;
  locale: string | null;
  softDelete: 0 | 1;
  createdAt: string;
  updatedAt: string;
}

export interface ClientInput {
  name: string;
  email?: string | null;
  phone?: string | null;
  address?: string | null;
  taxId?: string | null;
  /** The language of what is sent to this client; null: the company's. */
  locale?: string | null;
}

/** A PUT: what is absent stays as it is. */
export type ClientChanges = Partial<ClientInput>;

export const clientColumns =
  'c.id, c.companyId, c.name, c.email, c.phone, c.address, c.taxId, c.locale, c.softDelete, c.createdAt, c.updatedAt';
