#!/usr/bin/env python3
"""cluster.py FLAMEL: a store on a cluster of ClickHouse, two shards of two replicas each with ZooKeeper, as Debian has them.

Two `flamel serve`, each at a server of another shard, take profiles of twenty services while one replica after the other is
killed and comes back, and give the same sums as an embedded store that got the same; a profile that is sent again with its
id is counted once. Many that write at once share inserts. Status 77: the programs are not here."""
import http.client, os, random, shutil, signal, socket, subprocess, sys, tempfile, threading, time, urllib.parse

SERVER, ZOOKEEPER = '/usr/sbin/clickhouse-server', '/usr/share/java/zookeeper.jar'
SERVICES, ROUNDS, TOGETHER = 20, 6, 128
if not os.access(SERVER, os.X_OK) or not os.path.exists(ZOOKEEPER) or not shutil.which('java'):
    print('clickhouse-server, zookeeper or java is not here: no cluster')
    sys.exit(77)
flamel, folder, running = sys.argv[1], tempfile.mkdtemp(prefix='flamel-cluster-'), []


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def write(name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w') as out:
        out.write(text)
    return path


def start(words, log):
    process = subprocess.Popen(words, stdout=open(os.path.join(folder, log), 'a'), stderr=subprocess.STDOUT)
    running.append(process)
    return process


def wait_for(what, check, seconds=120):
    until = time.time() + seconds
    while time.time() < until:
        try:
            if check():
                return
        except OSError:
            pass
        time.sleep(0.1)
    raise SystemExit(f'{what} did not answer: see {folder}')


def call(port, method, path, body=None):
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=120)
    connection.request(method, path, body=body)
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, text


def listens(port):
    socket.create_connection(('127.0.0.1', port), 1).close()
    return True


class ClickHouse:
    def __init__(self, shard, replica):
        self.name, self.shard = f's{shard}r{replica}', shard
        self.replica = replica
        self.http, self.tcp, self.between = free_port(), free_port(), free_port()

    def configure(self, servers, zookeeper):
        shards = ''.join('<shard><internal_replication>true</internal_replication>' + ''.join(
            f'<replica><host>127.0.0.1</host><port>{s.tcp}</port></replica>' for s in servers if s.shard == shard) + '</shard>'
            for shard in (1, 2))
        home = os.path.join(folder, self.name)
        write(f'{self.name}/users.xml', '<yandex><profiles><default><background_pool_size>2</background_pool_size></default></profiles>'
              '<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile>'
              '<quota>default</quota></default></users><quotas><default></default></quotas></yandex>')
        self.config = write(f'{self.name}/config.xml', f'''<yandex>
<logger><level>warning</level><log>{home}/log</log><errorlog>{home}/errors</errorlog></logger>
<http_port>{self.http}</http_port><tcp_port>{self.tcp}</tcp_port><listen_host>127.0.0.1</listen_host>
<interserver_http_host>127.0.0.1</interserver_http_host><interserver_http_port>{self.between}</interserver_http_port>
<path>{home}/data/</path><tmp_path>{home}/tmp/</tmp_path><users_config>{home}/users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database><mark_cache_size>67108864</mark_cache_size>
<remote_servers><main>{shards}</main></remote_servers>
<zookeeper><node><host>127.0.0.1</host><port>{zookeeper}</port></node></zookeeper>
<macros><shard>{self.shard}</shard><replica>{self.replica}</replica></macros>
<distributed_ddl><path>/clickhouse/ddl</path></distributed_ddl>
</yandex>''')

    def start(self):
        self.process = start([SERVER, f'--config-file={self.config}'], f'{self.name}/output')
        wait_for(self.name, lambda: call(self.http, 'GET', '/ping')[0] == 200)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def serve(store):
    port = free_port()
    start([flamel, 'serve', '--listen', f'127.0.0.1:{port}', *store], f'serve-{port}')
    wait_for('flamel serve', lambda: call(port, 'GET', '/readyz')[0] == 200)
    return port


def push(ports, service, time_s, folded, ident):
    for port in ports:
        status, text = call(port, 'POST', f'/api/v1/push?service={service}&label=region%3Dr{service % 3}&time={time_s}&id={ident}', folded)
        if status != 200:
            raise SystemExit(f'push: {status} {text}: see {folder}')


def folded_of(port, selector):
    status, text = call(port, 'GET', '/api/v1/merge?format=folded&from=-3h&selector=' + urllib.parse.quote(selector))
    return sorted(text.splitlines()) if status == 200 else [f'{status} {text}']


def total_of(folded):
    return sum(int(line.rsplit(' ', 1)[1]) for line in folded)


# Inserts so far: each has a mark.
def inserts(server):
    sql = "SELECT uniqExact(stack) FROM flamel.runs WHERE tenant = '' AND service = '' AND type = ''"
    return int(call(server.http, 'GET', '/?query=' + urllib.parse.quote(sql))[1])


# Many that write at the same time share inserts, and do not wait for one after the other.
def push_together(server, port):
    before, answers = inserts(server), []
    barrier = threading.Barrier(TOGETHER)

    def work(number):
        barrier.wait()
        answers.append(call(port, 'POST', f'/api/v1/push?service=together&label=pod%3Dp{number}', 'main;work 1\n')[0])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(TOGETHER)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    made = inserts(server) - before
    total = total_of(folded_of(port, 'service=together'))
    print(f'{TOGETHER} profiles at once: {made} inserts')
    return answers == [200] * TOGETHER and total == TOGETHER and 0 < made < TOGETHER / 8


def main():
    zookeeper = free_port()
    config = write('zookeeper/zoo.cfg', f'dataDir={folder}/zookeeper\nclientPort={zookeeper}\nclientPortAddress=127.0.0.1\n'
                   'admin.enableServer=false\n')
    start(['java', '-cp', f'/etc/zookeeper/conf:{ZOOKEEPER}', '-Dzookeeper.log.threshold=ERROR', '-Dlog4j.rootLogger=OFF',
           'org.apache.zookeeper.server.quorum.QuorumPeerMain', config], 'zookeeper/output')
    wait_for('ZooKeeper', lambda: listens(zookeeper))
    servers = [ClickHouse(shard, replica) for shard in (1, 2) for replica in (1, 2)]
    for server in servers:
        server.configure(servers, zookeeper)
    for server in servers:
        server.start()
    time.sleep(2)
    for server in servers: # 18.16 may end when it meets ZooKeeper for the first time
        if server.process.poll() is not None:
            server.start()
    cluster = [serve(['--store', f'clickhouse://127.0.0.1:{s.http}/flamel?cluster=main']) for s in (servers[0], servers[3])]
    embedded = serve(['--data', os.path.join(folder, 'data')])
    random.seed(7)
    now, count = int(time.time()), 0
    for round_number in range(ROUNDS):
        down = servers[1 + round_number % 2] if round_number in (1, 2, 3, 4) else None # never those that are asked
        if down:
            down.kill()
        for service in range(SERVICES):
            folded = ''.join(f'main;f{random.randrange(9)};g{random.randrange(30)} {random.randrange(1, 99)}\n' for _ in range(12))
            ident, count = f'i{count}', count + 1
            push([embedded, cluster[count % 2]], service, now - 60 * round_number, folded, ident)
            if service % 5 == 0: # an answer that was lost: sent again, to the other one
                push([embedded, cluster[(count + 1) % 2]], service, now - 60 * round_number, folded, ident)
        if down:
            down.start()
    failed = 0
    for selector in ['', 'region=r1', 'service=~"1.*"', *(f'service={s}' for s in range(SERVICES))]:
        expected = folded_of(embedded, selector)
        for port in cluster:
            found = folded_of(port, selector)
            if found != expected or len(expected) < 10:
                print(f'{selector!r}: {total_of(found)} from the cluster, {total_of(expected)} from the embedded store')
                failed += 1
    rows = {s.name: int(call(s.http, 'GET', '/?query=' + urllib.parse.quote('SELECT count() FROM flamel.runs_shard'))[1])
            for s in servers}
    print(f'{count} profiles, rows {rows}')
    if min(rows.values()) == 0:
        print('a shard has no rows')
        failed += 1
    if not push_together(servers[0], cluster[0]):
        print('they did not share inserts, or the sum is wrong')
        failed += 1
    return 1 if failed else 0


try:
    status = main()
finally:
    for process in reversed(running):
        process.kill()
        process.wait()
shutil.rmtree(folder)
sys.exit(status)
