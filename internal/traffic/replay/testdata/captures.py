# Makes the captures of the tests, by scapy.
from scapy.all import ARP, DNS, DNSQR, IP, TCP, UDP, Ether, IPv6, Raw, wrpcap, PcapNgWriter

def at(t, p):
    p.time = 1700000000 + t
    return p

def ip(**k):
    return IP(src="198.51.100.7", dst="203.0.113.9", **k)

packets = [
    at(0.000, Ether() / ip() / UDP(sport=5000, dport=5001) / Raw(bytes(range(100)))),
    at(0.001, Ether() / ip() / TCP(sport=443, dport=50000, flags="A") / Raw(b"T" * 1000)),
    at(0.001, Ether() / ARP()),
    at(0.003, Ether() / ip() / UDP(sport=53, dport=5353) / Raw(b"short")),
    at(0.004, Ether() / IPv6() / UDP()),
    at(0.004, Ether() / ip(flags="MF") / UDP() / Raw(b"f" * 64)),
    at(0.004, Ether() / ip(proto=1) / Raw(b"p" * 64)),
    at(0.004, Ether() / ip() / UDP(sport=2152, dport=2152) / Raw(b"g" * 64)),
    at(0.006, Ether() / ip() / UDP(sport=5000, dport=5001) / Raw(bytes(range(100)))),
    at(0.010, Ether() / ip() / UDP(sport=7, dport=9) / Raw(b"L" * 1472)),
]
wrpcap("ethernet.pcap", packets)
w = PcapNgWriter("ethernet.pcapng")
for p in packets:
    w.write(p)
w.close()
wrpcap("raw.pcap", [at(p.time - 1700000000, p[IP]) for p in packets if IP in p], linktype=101)
wrpcap("sll.pcap", [Raw(b"x" * 60)], linktype=113)
