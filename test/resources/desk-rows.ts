import type { Client, Row } from '../support/client.ts';

export const desks = '/butts-in-seats/desks';
export const records = '/butts-in-seats/employees';

/** What tests do with desks and workspace records. @param client returns the client that does it */
export function deskActions(client: () => Client) {
  const desk = async (body: Row = {}) => String((await client().post(desks, body)).row['id']);
  const isAssigned = async (id: string) => (await client().get(`${desks}/${id}`)).row['is_assigned'];
  const sit = (desk_id: string, body: Row = {}) => client().post(records, { desk_id, ...body });
  /** A desk, and the id of its active record. */
  const seat = async (body: Row = {}) => {
    const id = await desk();
    return { id, record: String((await sit(id, body)).row['id']) };
  };
  const update = async (id: string, input: Row) => {
    const { data, errors } = await client().graphql(
      'mutation ($id: ID!, $input: UpdateWorkspaceRecordInput!) { updateWorkspaceRecord(id: $id, input: $input) { deskId endDate desk { isAssigned } } }',
      { id, input },
    );
    return errors[0]
      ? { code: errors[0].extensions.code, details: errors[0].extensions.details }
      : data['updateWorkspaceRecord'];
  };
  return { desk, isAssigned, sit, seat, update };
}
