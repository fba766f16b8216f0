#!/usr/bin/env python3
"""Compares the facts that elf_facts_dump prints of a file with readelf's, field by field.

    compare_readelf.py [--dump PROGRAM] [--local-symbols] FILE...
    compare_readelf.py [--dump PROGRAM] --wheels FOLDER --at-least MIB

The second form takes every ELF member of that size or larger out of the folder's wheels, one at a
time. A folder without any is a failure: nothing was compared.

Prints the number of fields compared of each file and every difference (the first ten). Exit
status: 0 all agree, 1 some differ, 3 a file could not be read by one of the two (readelf's
warnings count as differences only when a field differs), 2 usage.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

SEGMENTS = {"NULL": 0, "LOAD": 1, "DYNAMIC": 2, "INTERP": 3, "NOTE": 4, "SHLIB": 5, "PHDR": 6, "TLS": 7,
            "GNU_EH_FRAME": 0x6474E550, "GNU_STACK": 0x6474E551, "GNU_RELRO": 0x6474E552,
            "GNU_PROPERTY": 0x6474E553, "GNU_SFRAME": 0x6474E554, "OPENBSD_MUTABLE": 0x65A3DBE5,
            "ARM_EXIDX": 0x70000001, "EXIDX": 0x70000001, "AARCH64_MEMTAG_MTE": 0x70000002}
SECTIONS = {"NULL": 0, "PROGBITS": 1, "SYMTAB": 2, "STRTAB": 3, "RELA": 4, "HASH": 5, "DYNAMIC": 6, "NOTE": 7,
            "NOBITS": 8, "REL": 9, "SHLIB": 10, "DYNSYM": 11, "INIT_ARRAY": 14, "FINI_ARRAY": 15,
            "PREINIT_ARRAY": 16, "GROUP": 17, "SYMTAB SECTION INDICES": 18, "SYMTAB": 2, "RELR": 19,
            "LLVM_ADDRSIG": 0x6FFF4C03, "GNU_ATTRIBUTES": 0x6FFFFFF5, "GNU_HASH": 0x6FFFFFF6,
            "VERDEF": 0x6FFFFFFD, "VERNEED": 0x6FFFFFFE, "VERSYM": 0x6FFFFFFF, "X86_64_UNWIND": 0x70000001}
SECTION_FLAGS = {"W": 1, "A": 2, "X": 4, "M": 0x10, "S": 0x20, "I": 0x40, "L": 0x80, "O": 0x100, "G": 0x200,
                 "T": 0x400, "C": 0x800, "R": 0x200000, "l": 0x10000000, "E": 0x80000000}
UNKNOWN_FLAGS = set("oxpDdy")
MACHINES = {"Advanced Micro Devices X86-64": 62, "AArch64": 183, "Intel 80386": 3, "ARM": 40, "RISC-V": 243,
            "IBM S/390": 22, "PowerPC64": 21, "MIPS R3000": 8, "NVIDIA CUDA architecture": 190}
TYPES = {"NONE": 0, "REL": 1, "EXEC": 2, "DYN": 3, "CORE": 4}
FLAGS = {"ORIGIN": 1, "SYMBOLIC": 2, "TEXTREL": 4, "BIND_NOW": 8, "STATIC_TLS": 16}
FLAGS_1 = {"NOW": 1, "GLOBAL": 2, "GROUP": 4, "NODELETE": 8, "LOADFLTR": 0x10, "INITFIRST": 0x20, "NOOPEN": 0x40,
           "ORIGIN": 0x80, "DIRECT": 0x100, "INTERPOSE": 0x400, "NODEFLIB": 0x800, "NODUMP": 0x1000,
           "SYMINTPOSE": 0x800000, "PIE": 0x8000000}
BINDS = {"<OS specific>: 10": "unique", "LOCAL": "local", "GLOBAL": "global", "WEAK": "weak", "UNIQUE": "unique"}
SYMBOL_TYPES = {"<OS specific>: 10": "ifunc", "NOTYPE": "notype", "OBJECT": "object", "FUNC": "func", "SECTION": "section", "FILE": "file",
                "COMMON": "common", "TLS": "tls", "IFUNC": "ifunc"}
LISTS = {"NEEDED": "needed", "AUXILIARY": "auxiliary", "FILTER": "filter"}
SINGLES = {"SONAME": "soname", "RPATH": "rpath", "RUNPATH": "runpath"}


def run(command, allow=(0,)):
    done = subprocess.run(command, capture_output=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"})
    if done.returncode not in allow:
        raise RuntimeError(f"{command[0]}: {done.stderr.decode('utf-8', 'replace').strip()}")
    return done.stdout.decode("utf-8", "surrogateescape")


def unescape(text):
    return re.sub(r"\\x([0-9a-f]{2})", lambda m: chr(int(m[1], 16)), text)


def ours(dump, path, local_symbols):
    facts = {}
    command = [dump, *(["--local-symbols"] if local_symbols else []), path]
    for line in run(command).split("\n"):
        words = line.split(" ")
        fields = {}
        at = 1
        while at < len(words) and re.fullmatch(r"[a-z_0-9]+=\S*", words[at]):
            name, _, value = words[at].partition("=")
            fields[name] = int(value, 16) if value.startswith("0x") else value
            at += 1
        fields[""] = unescape(" ".join(words[at:]))
        if words[0] == "symbol":  # readelf leaves out the version of the symbol that stands for it
            name, _, version = fields[""].partition("@@")
            fields[""] = name if name == version else fields[""]
        facts.setdefault(words[0], []).append(fields)
    return facts


def theirs(path, local_symbols):
    """readelf's output in the shape of ours()."""
    facts = {}

    def add(key, **fields):
        facts.setdefault(key, []).append(fields)

    part = ""
    need_file = ""
    text = run(["readelf", "-W", "-h", "-l", "-S", "-d", "-V", "-n", "--dyn-syms", path], allow=(0, 1))
    header = {}
    dynamic = {"flags": 0, "flags_1": 0, "relr": "0", "textrel": "0"}
    has_dynamic = False
    for line in text.split("\n"):
        if m := re.match(r"  (Class|Data|Type|Machine|Flags):\s+(.*)", line):
            header[m[1]] = m[2]
        elif m := re.match(r"(Section Headers|Program Headers|Dynamic section|Version needs|Version definition|"
                           r"Version symbols|Symbol table '\.dynsym'|Displaying notes| Section to Segment)", line):
            part = m[1]
            has_dynamic = has_dynamic or part == "Dynamic section"
        elif line.startswith("Symbol table"):
            part = ""
        elif part == "Program Headers" and (m := re.match(
                r"  (\S+)\s+0x(\w+) 0x(\w+) 0x\w+ 0x(\w+) 0x(\w+) (.)(.)(.) 0x(\w+)|"
                r"  (\S+)\s+0x(\w+) 0x(\w+) 0x\w+ 0x(\w+) 0x(\w+) (.)(.)(.) (0)$", line)):
            g = [x for x in m.groups() if x is not None]
            flags = (4 if g[5] == "R" else 0) | (2 if g[6] == "W" else 0) | (1 if g[7] == "E" else 0)
            if g[0] in SEGMENTS:
                kind = SEGMENTS[g[0]]
            elif m2 := re.match(r"(LOOS|LOPROC)\+(?:0x)?(\w+)", g[0]):
                kind = (0x60000000 if m2[1] == "LOOS" else 0x70000000) + int(m2[2], 16)
            else:
                kind = None
            add("segment", type=kind, offset=int(g[1], 16), address=int(g[2], 16), filesz=int(g[3], 16),
                memsz=int(g[4], 16), flags=flags, align=int(g[8], 16))
        elif part == "Section Headers" and (m := re.match(
                r"  \[ *(\d+)\] (.*?) +(\S+) +([0-9a-f]{8,16}) ([0-9a-f]{6,}) ([0-9a-f]{6,}) ([0-9a-f]{2,}) +"
                r"([A-Za-z]*) +\d+ +\d+ +\d+$", line)):
            name = m[2].strip()
            kind = m[3]
            if name.endswith("SYMTAB SECTION"):
                name, kind = name[:-len("SYMTAB SECTION")].strip(), "SYMTAB SECTION INDICES"
            if m[1] == "0":
                name = ""
            fields = dict(offset=int(m[5], 16), size=int(m[6], 16), address=int(m[4], 16))
            if kind in SECTIONS:
                fields["type"] = SECTIONS[kind]
            if not UNKNOWN_FLAGS & set(m[8]):
                fields["flags"] = sum(SECTION_FLAGS[c] for c in m[8])
            fields[""] = name
            add("section", **fields)
        elif part == "Dynamic section" and (m := re.match(r" 0x[0-9a-f]+ \((\w+)\)\s*(.*)", line)):
            tag, value = m[1], m[2]
            if tag in LISTS or tag in SINGLES:
                m2 = re.match(r".*?: \[(.*)\]$", value)
                add(LISTS.get(tag) or SINGLES[tag], **{"": m2[1] if m2 else value})
            elif tag == "FLAGS":
                dynamic["flags"] = sum(FLAGS[w] for w in value.split())
            elif tag == "FLAGS_1":
                dynamic["flags_1"] = sum(FLAGS_1[w] for w in value.replace("Flags:", "").split())
            elif tag == "RELR":
                dynamic["relr"] = "1"
            elif tag == "TEXTREL":
                dynamic["textrel"] = "1"
        elif part == "Version needs":
            if m := re.match(r"\s*(?:0x)?\w+: Version: 1  File: (.*)  Cnt: \d+", line):
                need_file = m[1]
            elif m := re.match(r"\s*(?:0x)?\w+:\s+Name: (.*)  Flags: (.*)  Version: (\d+)", line):
                add("verneed", index=int(m[3]), weak="1" if "WEAK" in m[2] else "0", file=need_file, **{"": m[1]})
        elif part == "Version definition":
            if m := re.match(r"\s*(?:0x)?\w+: Rev: 1  Flags: (.*?)\s+Index: (\d+)  Cnt: \d+  Name: (.*)", line):
                add("verdef", index=int(m[2]), weak="1" if "WEAK" in m[1] else "0",
                    base="1" if "BASE" in m[1] else "0", **{"": m[3]})
        elif part == "Displaying notes" and (m := re.search(r"Build ID: (\w+)", line)):
            if "build_id" not in facts:
                add("build_id", **{"": m[1]})
        elif part.startswith("Symbol table") and (symbol := parse_symbol(line)):
            add("symbol", **symbol)
        if m := re.match(r"\s+\[Requesting program interpreter: (.*)\]", line):
            add("interpreter", **{"": m[1]})
    elf = {"class": header["Class"][3:], "order": "little" if "little" in header["Data"] else "big",
           "flags": int(header["Flags"].split(",")[0], 16)}
    if (kind := header["Type"].split()[0]) in TYPES:
        elf["type"] = TYPES[kind]
    if header["Machine"] in MACHINES:
        elf["machine"] = MACHINES[header["Machine"]]
    add("elf", **elf)
    if has_dynamic:
        if dynamic["flags"] & 4:
            dynamic["textrel"] = "1"
        add("dynamic", **dynamic)
    for segment in facts.get("segment", []):
        if segment["type"] == SEGMENTS["GNU_STACK"]:
            facts["stack"] = [{"flags": segment["flags"]}]
        if segment["type"] == SEGMENTS["TLS"]:
            facts["tls"] = [{"size": segment["memsz"]}]
    if local_symbols:
        part = ""
        for line in run(["readelf", "-W", "-s", path], allow=(0, 1)).split("\n"):
            if line.startswith("Symbol table"):
                part = line
            elif "'.symtab'" in part and (symbol := parse_symbol(line)):
                if symbol["bind"] == "local" and symbol["defined"] == "1" and symbol["type"] in (
                        "func", "object", "tls", "ifunc"):
                    add("local", **symbol)
    return facts


def parse_symbol(line):
    # Without a GNU OS ABI in the header, readelf does not name GNU's kinds.
    kind = r"(<[^>]*>: \d+|\S+)"
    m = re.match(r" *(\d+): ([0-9a-f]+) +(0x[0-9a-f]+|\d+) " + kind + " +" + kind +
                 r" +(\S+) +(?:\[.*?\] +)?(\S+)(?: (.*))?$", line)
    if not m or m[1] == "0":
        return None
    name = m[8] or ""
    if name.startswith("["):  # st_other, e.g. "[VARIANT_PCS]" follows the visibility on some machines
        name = name.partition("] ")[2]
    name = re.sub(r" \(\d+\)$", "", name)
    if m[4] == "SECTION":  # nameless: readelf shows the section's name
        name = ""
    return {"value": int(m[2], 16), "size": int(m[3], 0), "type": SYMBOL_TYPES.get(m[4], "other"),
            "bind": BINDS.get(m[5], "other"), "vis": m[6].lower(), "defined": "0" if m[7] == "UND" else "1", "": name}


def compare(path, dump, local_symbols):
    mine, other = ours(dump, path, local_symbols), theirs(path, local_symbols)
    keys = ["elf", "segment", "section", "dynamic", "stack", "tls", "interpreter", "build_id", "verneed", "verdef",
            "symbol", "local", *LISTS.values(), *SINGLES.values()]
    fields, differences = 0, []
    for key in keys:
        left, right = mine.get(key, []), other.get(key, [])
        fields += 1
        if len(left) != len(right):
            differences.append(f"{key}: {len(left)} here, {len(right)} in readelf")
        for i, (a, b) in enumerate(zip(left, right)):
            for name, value in b.items():
                fields += 1
                if a.get(name) != value:
                    differences.append(f"{key} {i} {name or 'text'}: {a.get(name)!r} here, {value!r} in readelf")
    for fact in mine.get("observation", []):
        print(f"{path}: observation: {fact['']}")
    return fields, differences


def large_members(folder, least):
    """Yields (name to print, path of a temporary copy) of the ELF members of at least `least` bytes."""
    for wheel in sorted(pathlib.Path(folder).glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as scratch:
            for info in archive.infolist():
                if info.file_size < least:
                    continue
                copy = pathlib.Path(scratch) / "member"
                with archive.open(info) as source, open(copy, "wb") as target:
                    if source.peek(4)[:4] != b"\x7fELF":
                        continue
                    shutil.copyfileobj(source, target, 1 << 20)
                yield f"{wheel.name}: {info.filename}", str(copy)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dump", default="elf_facts_dump")
    parser.add_argument("--local-symbols", action="store_true")
    parser.add_argument("--wheels")
    parser.add_argument("--at-least", type=int, metavar="MIB")
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    if bool(arguments.files) == bool(arguments.wheels) or bool(arguments.wheels) != bool(arguments.at_least):
        parser.error("give either files, or --wheels with --at-least")
    files = ((path, path) for path in arguments.files)
    if arguments.wheels:
        files = large_members(arguments.wheels, arguments.at_least << 20)
    status = total = count = 0
    for name, path in files:
        count += 1
        try:
            fields, differences = compare(path, arguments.dump, arguments.local_symbols)
        except RuntimeError as error:
            print(f"{name}: {error}")
            status = 3
            continue
        total += fields
        print(f"{name}: {fields} fields compared, {len(differences)} differ", flush=True)
        for difference in differences[:10]:
            print(f"  {difference}")
        if differences:
            status = max(status, 1)
    print(f"{count} files, {total} fields compared")
    if count == 0:
        print("there was no file to compare")
        return 3
    return status


if __name__ == "__main__":
    sys.exit(main())
