-- Older instances: go on working, as indexes change no answer. They serve the events of one person in the log of a
-- company, and those of its members that concern no company.

-- CreateIndex
CREATE INDEX "security_events_company_id_person_id_id_idx" ON "security_events"("company_id", "person_id", "id");

-- CreateIndex
CREATE INDEX "security_events_company_id_actor_id_id_idx" ON "security_events"("company_id", "actor_id", "id");
