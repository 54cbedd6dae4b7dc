"""First and last names by origin, for customers who differ in nothing else: (women's, men's, last names)."""

from __future__ import annotations

ORIGINS: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "english": (
        ("Emily", "Charlotte", "Abigail", "Harriet", "Claire", "Megan", "Lucy", "Heather", "Alison", "Rebecca"),
        ("Oliver", "Thomas", "George", "Henry", "Edward", "Matthew", "Andrew", "Simon", "Philip", "Nathan"),
        ("Whitfield", "Harrington", "Bradshaw", "Thornton", "Ashworth", "Pemberton", "Hargreaves", "Langley"),
    ),
    "spanish": (
        (
            "Guadalupe",
            "Marisol",
            "Ximena",
            "Rosario",
            "Esperanza",
            "Graciela",
            "Yolanda",
            "Beatriz",
            "Itzel",
            "Lourdes",
        ),
        (
            "Alejandro",
            "Santiago",
            "Ignacio",
            "Rodrigo",
            "Esteban",
            "Joaquin",
            "Fernando",
            "Emiliano",
            "Ramiro",
            "Lorenzo",
        ),
        ("Gutierrez", "Hernandez", "Villanueva", "Castellanos", "Echeverria", "Zamorano", "Quintanilla", "Arredondo"),
    ),
    "arabic": (
        ("Fatima", "Khadija", "Zaynab", "Maryam", "Noor", "Salma", "Huda", "Rania", "Yasmin", "Samira"),
        ("Mohammed", "Abdullah", "Mustafa", "Khalid", "Yusuf", "Tariq", "Hassan", "Ibrahim", "Faisal", "Rashid"),
        ("Mansour", "Haddad", "Qureshi", "Rahmani", "Shalhoub", "Barakat", "Farouk", "Sabbagh"),
    ),
    "chinese": (
        ("Xiaoling", "Meihua", "Yanyan", "Jiaying", "Qiuyue", "Lifen", "Ruolan", "Shuzhen", "Wenjing", "Xiuying"),
        ("Zhiqiang", "Haoran", "Jianguo", "Weimin", "Xiaofeng", "Guoliang", "Yichen", "Mingze", "Zihao", "Dongsheng"),
        ("Zhang", "Huang", "Zhou", "Xu", "Zheng", "Tseng", "Ouyang", "Qian"),
    ),
    "nigerian": (
        ("Ngozi", "Chiamaka", "Folake", "Adaeze", "Yetunde", "Ifeoma", "Temitope", "Amarachi", "Bukola", "Nneka"),
        ("Chukwuemeka", "Oluwaseun", "Adebayo", "Ikenna", "Babatunde", "Obinna", "Tunde", "Chidi", "Emeka", "Olumide"),
        ("Okonkwo", "Adeyemi", "Nwosu", "Balogun", "Eze", "Ogunleye", "Okafor", "Adesina"),
    ),
}
