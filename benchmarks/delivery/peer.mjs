// A Probot app that only stores what GitHub delivers: the peer of Heal's web process in `python -m benchmarks delivery`.
import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { createNodeMiddleware, createProbot } from "probot";

const database = new DatabaseSync(process.env.PEER_DATABASE);
database.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL");
database.exec("CREATE TABLE deliveries (guid TEXT PRIMARY KEY, event TEXT, body TEXT, received REAL)");
const insert = database.prepare("INSERT OR IGNORE INTO deliveries VALUES (?, ?, ?, ?)");

function store(app) {
  app.onAny(({ id, name, payload }) => {
    insert.run(id, name, JSON.stringify(payload), Date.now() / 1000);
  });
}

const probot = createProbot({
  overrides: {
    appId: 1,
    privateKey: process.env.PEER_KEY,
    secret: process.env.PEER_SECRET,
    logLevel: "error",
  },
});
const middleware = await createNodeMiddleware(store, { probot, webhooksPath: "/webhook" });
createServer(middleware).listen(Number(process.env.PEER_PORT), "127.0.0.1");
