// examples/kubernetes/flamel.yaml, by the schemas of Kubernetes' API; and by the command: the options and variables that it gives are there.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parseAllDocuments } from "yaml";
import * as apps from "kubernetes-models/apps/v1";
import * as core from "kubernetes-models/v1";

const flamel = process.argv[2];
const models = { v1: core, "apps/v1": apps };
const text = readFileSync(new URL("../../../examples/kubernetes/flamel.yaml", import.meta.url), "utf8");
const documents = parseAllDocuments(text).map(d => {
  assert.deepEqual(d.errors, []);
  return d.toJS();
});
const workloads = documents.filter(d => d.spec?.template);

function validate(document) {
  const Model = models[document.apiVersion]?.[document.kind];
  assert.ok(Model, `${document.apiVersion} ${document.kind} is a kind of Kubernetes`);
  new Model(document).validate();
}

test("every document is what the API takes", () => {
  assert.deepEqual(documents.map(d => d.kind), ["Namespace", "PersistentVolumeClaim", "Deployment",
    "Service", "DaemonSet"]);
  documents.forEach(validate);
});

test("what is wrong in one of them is found", () => {
  const broken = (kind, change) => {
    const copy = structuredClone(documents.find(d => d.kind === kind));
    change(copy);
    assert.throws(() => validate(copy), `${kind}: ${change}`);
  };
  broken("DaemonSet", d => { d.spec.template.spec.hostPID = "yes"; });
  broken("DaemonSet", d => { delete d.spec.selector; });
  broken("DaemonSet", d => { d.spec.template.spec.containers[0].securityContext.capabilities.add = "ALL"; });
  broken("Deployment", d => { d.spec.template.spec.containers[0].ports[0].containerPort = "http"; });
  broken("Deployment", d => { delete d.spec.template.spec.containers[0].name; });
  broken("Service", d => { d.spec.ports[0].port = "4040"; });
});

test("labels, volumes, secrets and ports lead somewhere", () => {
  const service = documents.find(d => d.kind === "Service");
  const claims = documents.filter(d => d.kind === "PersistentVolumeClaim").map(d => d.metadata.name);
  for (const w of workloads) {
    const pod = w.spec.template;
    for (const [key, value] of Object.entries(w.spec.selector.matchLabels))
      assert.equal(pod.metadata.labels[key], value);
    const volumes = pod.spec.volumes.map(v => v.name);
    for (const c of pod.spec.containers)
      for (const m of c.volumeMounts)
        assert.ok(volumes.includes(m.name), m.name);
    for (const v of pod.spec.volumes)
      if (v.persistentVolumeClaim)
        assert.ok(claims.includes(v.persistentVolumeClaim.claimName));
  }
  const server = workloads.find(w => w.kind === "Deployment").spec.template;
  for (const [key, value] of Object.entries(service.spec.selector))
    assert.equal(server.metadata.labels[key], value);
  const ports = server.spec.containers[0].ports;
  assert.ok(ports.some(p => p.name === service.spec.ports[0].targetPort));
  const args = server.spec.containers[0].args;
  const listens = args[args.indexOf("--listen") + 1];
  assert.ok(ports.some(p => listens.endsWith(`:${p.containerPort}`)));
  const agent = workloads.find(w => w.kind === "DaemonSet").spec.template.spec.containers[0];
  const url = new URL(agent.args[agent.args.indexOf("--push") + 1]);
  assert.equal(url.hostname, service.metadata.name);
  assert.equal(Number(url.port), service.spec.ports[0].port);
});

test("the command has every option that they give, and every file is in a volume", () => {
  for (const w of workloads)
    for (const c of w.spec.template.spec.containers) {
      const [command, ...options] = c.args;
      const help = execFileSync(flamel, [command, "--help"], { encoding: "utf8" });
      for (const o of options.filter(o => o.startsWith("--")))
        assert.match(help, new RegExp(`${o}[ ,=\n]`), `flamel ${command} ${o}`);
      for (const file of options.filter(o => o.startsWith("/")))
        assert.ok(c.volumeMounts.some(m => file.startsWith(`${m.mountPath}/`)), file);
    }
});
