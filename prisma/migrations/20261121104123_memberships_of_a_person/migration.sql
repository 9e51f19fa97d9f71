-- CreateIndex
CREATE INDEX "users_id_idx" ON "users"("id");
