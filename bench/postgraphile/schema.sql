-- What PostGraphile serves: views of the tables that the nested query reads, as the names of all tables collide in GraphQL.
DROP SCHEMA IF EXISTS postgraphile CASCADE;
CREATE SCHEMA postgraphile;
CREATE VIEW postgraphile.people AS SELECT company_id, id, full_name FROM users;
CREATE VIEW postgraphile.service_requests AS
  SELECT company_id, id, title, upper(replace(status::text, '-', '_')) AS status, assigned_to, created_at
  FROM service_requests;
CREATE VIEW postgraphile.comments AS
  SELECT company_id, id, service_request_id, comment, user_id, created_at FROM comments;
-- The watching user, as GraphQL shows it elsewhere: a join fewer than through PostGraphile's own relations.
CREATE VIEW postgraphile.watchers AS
  SELECT w.company_id, w.service_request_id, u.id, u.full_name, u.created_at
  FROM watchers w JOIN users u ON u.company_id = w.company_id AND u.id = w.user_id;
COMMENT ON VIEW postgraphile.people IS '@primaryKey company_id,id';
COMMENT ON VIEW postgraphile.service_requests IS E'@primaryKey company_id,id\n@foreignKey (company_id, assigned_to) references people (company_id, id)|@fieldName assignee|@foreignBehavior -*';
COMMENT ON VIEW postgraphile.comments IS E'@primaryKey company_id,id\n@foreignKey (company_id, user_id) references people (company_id, id)|@fieldName author\n@foreignKey (company_id, service_request_id) references service_requests (company_id, id)|@foreignFieldName comments';
COMMENT ON VIEW postgraphile.watchers IS E'@primaryKey company_id,service_request_id,id\n@foreignKey (company_id, service_request_id) references service_requests (company_id, id)|@foreignFieldName watchers';
