"""`python -m benchmarks`: every table."""

from benchmarks import geometry

MODULES = [geometry]


def main() -> None:
    for module in MODULES:
        print(module.__doc__.splitlines()[0])
        for case, peer, ratio in module.rows():
            print(f"  {case:<24}{peer:<28}{1 / ratio:8.1f} x as fast")


if __name__ == "__main__":
    main()
