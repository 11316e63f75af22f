"""Opens connections, pipelines requests for a path over each of them and prints the number of responses with status 200.
A separate process, because reading the responses would disturb the measurement of the drill."""

import socket
import sys
import threading

port, path, connections, times = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
request = f"GET {path} HTTP/1.1\r\nhost: x\r\n\r\n".encode()
answered = []


def read_all():
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(request * times)
        end, seen = b"", 0
        while seen < times:
            received = connection.recv(1 << 20)
            if not received:
                return
            # A status line may be split between two reads.
            text = end + received
            at = text.find(b"HTTP/1.1 ")
            while 0 <= at <= len(text) - 12:
                seen += 1
                answered.append(text[at + 9 : at + 12])
                at = text.find(b"HTTP/1.1 ", at + 12)
            end = text[at:] if at >= 0 else text[-8:]


threads = [threading.Thread(target=read_all) for _ in range(connections)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(answered.count(b"200"))
